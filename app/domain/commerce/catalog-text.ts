// Catalog text is data for people and for language models: invisible content is removed, and the
// length is limited.
import { toVisibleLine } from "../../runtime/text/invisible.ts";

const BLOCKS = /<(script|style|template|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)|<!--[\s\S]*?(?:-->|$)/gi;
const TAGS = /<\/?[a-z!?][^>]*(?:>|$)/gi;
const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  "#39": "'",
  nbsp: " ",
};

// A fast path: most catalog text is plain and needs no cleaning.
const PLAIN = /^[\x20-\x25\x27-\x3b\x3d-\x7e]*$/;

const withoutMarkup = (text: string): string => text.replace(BLOCKS, " ").replace(TAGS, " ");

/** Removes HTML, control and invisible characters; returns at most `maxLength` characters. */
export function toPlainText(text: string | null | undefined, maxLength: number): string {
  const seen = toSeen(text ?? "");
  return seen.length <= maxLength ? seen : Array.from(seen).slice(0, maxLength).join("").trim();
}

function toSeen(text: string): string {
  if (PLAIN.test(text)) return text.replace(/ {2,}/g, " ").trim();
  const decoded = withoutMarkup(text).replace(
    /&(amp|lt|gt|quot|apos|nbsp|#39);/g,
    (_, name: string) => ENTITIES[name] ?? " ",
  );
  // Decoding entities may have produced markup again.
  return toVisibleLine(withoutMarkup(decoded));
}

/** An address that a page may link to, or null. */
export function toLink(url: string | null | undefined): string | null {
  const parsed = url ? URL.parse(url) : null;
  return parsed && (parsed.protocol === "https:" || parsed.protocol === "http:")
    ? parsed.href.slice(0, 2_000)
    : null;
}
