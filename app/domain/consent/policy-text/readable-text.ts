// A policy as people read it. The stored text is evidence and stays as it is; stores write policies
// in HTML, so its markup becomes paragraphs and lists of plain text: nothing of it reaches a page as
// markup.
import { convert } from "html-to-text";
import { flattenMarkup } from "./flat-markup.ts";

const MARKUP = /<\/?(?:p|div|br|h[1-6]|ul|ol|li|table|section|article|span|strong|body|html)\b/i;

/** The stored text itself where it has no markup, or more than any policy. */
export function toReadableText(body: string): string {
  const flat = MARKUP.test(body) ? flattenMarkup(body) : null;
  if (flat === null) return body;
  try {
    return convert(flat, {
      wordwrap: false,
      selectors: [{ selector: "ul", options: { itemPrefix: "• " } }],
    }).trim();
  } catch {
    // There are no Roman numbers for a list of thousands.
    return body;
  }
}
