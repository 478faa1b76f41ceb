// Catalog text is data for people and for language models: invisible content is removed, and the
// length is limited.
import { readShownTags } from "../../runtime/text/read-tags.ts";
import { toVisibleLine } from "../../runtime/text/invisible.ts";

// A fast path: most catalog text is plain and needs no cleaning.
const PLAIN = /^[\x20-\x25\x27-\x3b\x3d-\x7e]*$/;

/** What is left of a tag: the text of a `textarea` may look like one. */
const TAG = /<\/?[a-z!?][^>]*(?:>|$)/gi;

function withoutMarkup(html: string, options: { decodesTexts: boolean }): string {
  let text = "";
  const addSpace = () => void (text += " ");
  readShownTags(html, {
    ...options,
    onOpenTag: addSpace,
    onText: (piece) => void (text += piece),
    onCloseTag: addSpace,
    onLeftOut: addSpace,
  });
  return text;
}

/** Removes HTML, control and invisible characters; returns at most `maxLength` characters. */
export function toPlainText(text: string | null | undefined, maxLength: number): string {
  const seen = toSeen(text ?? "");
  return seen.length <= maxLength ? seen : Array.from(seen).slice(0, maxLength).join("").trim();
}

function toSeen(html: string): string {
  if (PLAIN.test(html)) return html.replace(/ {2,}/g, " ").trim();
  const decoded = withoutMarkup(html, { decodesTexts: true });
  // Decoding entities may have produced markup again.
  const text = withoutMarkup(decoded, { decodesTexts: false });
  return toVisibleLine(text.replaceAll(TAG, " "));
}

/** An address that a page may link to, or null. */
export function toLink(url: string | null | undefined): string | null {
  const parsed = url ? URL.parse(url) : null;
  return parsed && (parsed.protocol === "https:" || parsed.protocol === "http:")
    ? parsed.href.slice(0, 2_000)
    : null;
}
