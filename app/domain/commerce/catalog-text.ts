// Catalog text is data for people and for language models: invisible content is removed, and the
// length is limited.
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
// Format characters (zero-width, bidirectional, tags), variation selectors, private use and unassigned
// characters.
const UNSEEN = /[\p{Cf}\p{Co}\p{Variation_Selector}\u115F\u1160\u3164\uFFA0]/gu;

// A fast path: most catalog text is plain and needs no cleaning.
const PLAIN = /^[\x20-\x25\x27-\x3b\x3d-\x7e]*$/;

const withoutMarkup = (text: string): string => text.replace(BLOCKS, " ").replace(TAGS, " ");

/** Removes HTML, control and zero-width characters; returns at most `maxLength` characters. */
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
  return withoutMarkup(decoded)
    .replace(/\p{Surrogate}/gu, "")
    .replace(UNSEEN, "")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

/** An address that a page may link to, or null. */
export function toLink(url: string | null | undefined): string | null {
  const parsed = url ? URL.parse(url) : null;
  return parsed && (parsed.protocol === "https:" || parsed.protocol === "http:")
    ? parsed.href.slice(0, 2_000)
    : null;
}
