// What changed between two texts: by lines, and within a changed passage by words.
import { diffLines, diffWordsWithSpace, type ChangeObject } from "diff";

export type Change = {
  /** `left_out`: lines without changes far from any; the text is their number. */
  kind: "same" | "added" | "removed" | "left_out";
  text: string;
};

/** Two long passages without a common word would take minutes. */
const WORDS_TIMEOUT_MS = 200;
const LINES_TIMEOUT_MS = 2_000;
const LINES_AROUND = 2;

export function findChanges(before: string, after: string): Change[] {
  const lines = diffLines(endLine(before), endLine(after), { timeout: LINES_TIMEOUT_MS });
  if (!lines)
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  return lines.flatMap((part, place): Change[] => {
    const next = lines[place + 1];
    if (part.removed && next?.added) return changesOfWords(part.value, next.value);
    // Part of the changes of the removed passage before it.
    if (part.added && lines[place - 1]?.removed) return [];
    if (part.added || part.removed) return [toChange(part)];
    return shorten(part.value, { isFirst: place === 0, isLast: place === lines.length - 1 });
  });
}

/** A last line with and without its end is the same line. */
const endLine = (text: string): string => `${text.replaceAll("\r\n", "\n").replace(/\n$/, "")}\n`;

function changesOfWords(before: string, after: string): Change[] {
  const words = diffWordsWithSpace(before, after, { timeout: WORDS_TIMEOUT_MS });
  return (
    words?.map(toChange) ?? [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ]
  );
}

const toChange = ({ added, removed, value }: ChangeObject<string>): Change => ({
  kind: added ? "added" : removed ? "removed" : "same",
  text: value,
});

/** Keeps the lines beside a change. */
function shorten(
  text: string,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Change[] {
  const lines = text.split(/(?<=\n)/);
  const head = isFirst ? 0 : LINES_AROUND;
  const tail = isLast ? 0 : LINES_AROUND;
  const leftOut = lines.length - head - tail;
  if (leftOut <= 1 || (isFirst && isLast)) return [{ kind: "same", text }];
  return [
    { kind: "same", text: lines.slice(0, head).join("") },
    { kind: "left_out", text: String(leftOut) },
    { kind: "same", text: lines.slice(lines.length - tail).join("") },
  ].filter(({ text: kept }) => kept !== "") as Change[];
}
