// Finds the tags of a policy's HTML one after another, without a tree of elements. One pass over the
// text; nothing in it is looked at twice.

export type Tag = {
  /** In lower case; empty for a comment or an element whose content is not shown. */
  name: string;
  isClosing: boolean;
  /** As it is written, with its attributes. */
  source: string;
  start: number;
  end: number;
};

/** Elements whose content is not shown, and where it ends. */
const NOT_SHOWN = new Map<string, RegExp>(
  ["script", "style", "template", "noscript", "svg"].map((name) => [
    name,
    new RegExp(`</${name}(?![a-z0-9-])`, "gi"),
  ]),
);

const TAG_START = /<(?:\/?[a-z]|[!?])/gi;
const TAG_NAME = /<(\/?)([a-z][a-z0-9-]{0,20})/iy;
const QUOTED_VALUE_OR_END = /=\s{0,20}(?:"[^"]*"|'[^']*')|>/g;

/**
 * The first tag at or behind `from`. A comment, and an element whose content is not shown, count as
 * one tag without a name. Null: there is no further tag, or the next one does not end.
 */
export function findTag(html: string, from: number): Tag | null {
  const start = find(TAG_START, html, from)?.index;
  if (start === undefined) return null;
  const nameFound = find(TAG_NAME, html, start);
  if (!nameFound) return unnamed(start, endOfComment(html, start));
  const [{ length }, slash, written = ""] = nameFound;
  const end = endOfTag(html, start + length);
  if (end === null) return null;
  const name = written.toLowerCase();
  const isClosing = slash !== "";
  const contentEnd = isClosing ? undefined : NOT_SHOWN.get(name);
  if (contentEnd) return unnamed(start, endOfContent(html, contentEnd, end));
  return { name, isClosing, source: html.slice(start, end), start, end };
}

const find = (pattern: RegExp, html: string, from: number): RegExpExecArray | null => {
  pattern.lastIndex = from;
  return pattern.exec(html);
};

const unnamed = (start: number, end: number | null): Tag | null =>
  end === null ? null : { name: "", isClosing: false, source: "", start, end };

function endOfComment(html: string, start: number): number | null {
  const closing = html.startsWith("<!--", start) ? "-->" : ">";
  const found = html.indexOf(closing, start);
  return found === -1 ? null : found + closing.length;
}

/** Behind its ">", which may also stand in a quoted value. */
function endOfTag(html: string, from: number): number | null {
  for (let at = from; ; at = QUOTED_VALUE_OR_END.lastIndex) {
    const found = find(QUOTED_VALUE_OR_END, html, at);
    if (!found) return null;
    if (found[0] === ">") return found.index + 1;
  }
}

/** Behind the closing tag of an element whose content begins at `from`. */
function endOfContent(html: string, contentEnd: RegExp, from: number): number | null {
  const closing = find(contentEnd, html, from);
  return closing && endOfTag(html, closing.index);
}
