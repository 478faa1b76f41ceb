/** The text without trailing slashes; linear in its length. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

/** The text without leading and trailing slashes; linear in its length. */
export function withoutOuterSlashes(text: string): string {
  let start = 0;
  while (text[start] === "/") start += 1;
  return withoutTrailingSlashes(text.slice(start));
}
