/** The text without the slashes at its end; linear in the text. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

/** The text without the slashes at either end; linear in the text. */
export function withoutOuterSlashes(text: string): string {
  let start = 0;
  while (text[start] === "/") start += 1;
  return withoutTrailingSlashes(text.slice(start));
}
