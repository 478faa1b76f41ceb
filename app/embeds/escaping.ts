// Escaping, one function per output context.
export { escapeHtml } from "./account-pages.ts";

const SIGNS: Record<string, string> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** JSON for use inside a script element or a script file: `<` and line separators are escaped. */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (sign) => SIGNS[sign] as string);
