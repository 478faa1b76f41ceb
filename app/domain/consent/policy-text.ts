// A policy as people read it. The stored text is evidence and stays as it is; stores write policies
// in HTML, so its markup becomes paragraphs and lists of plain text: nothing of it reaches a page as
// markup.
import { convert } from "html-to-text";

const MARKUP = /<\/?(?:p|div|br|h[1-6]|ul|ol|li|table|section|article|span|strong|body|html)\b/i;
const MAX_DEPTH = 100;

export function toReadableText(body: string): string {
  if (!MARKUP.test(body)) return body;
  return convert(body, {
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH },
    selectors: [
      { selector: "a", options: { ignoreHref: true } },
      { selector: "img", format: "skip" },
      { selector: "ul", options: { itemPrefix: "• " } },
      { selector: "table", format: "dataTable" },
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
      ...["script", "style", "template", "noscript", "svg"].map((selector) => ({
        selector,
        format: "skip",
      })),
    ],
  }).trim();
}
