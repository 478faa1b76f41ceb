// How a value is written so that it stays a value, one way for each place where it can stand.
export { escapeHtml } from "./account-pages.ts";

const SIGNS: Record<string, string> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** JSON that may stand inside a script, inline or not: no tag can begin in it, and no line can end. */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (sign) => SIGNS[sign] as string);
