// Lines of CSV files (RFC 4180): values between commas, CRLF at the end. A value that contains one
// of them, a lone CR or a lone LF is quoted, because readers end a line at each of the three.
export type CsvValue = string | number | boolean | Date | null;

const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Prevents formula injection: a text that a spreadsheet would run gets a quote in front. */
const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** `escapeText` replaces the usual escape of formulas, for a file whose format is agreed. */
export function toCsvLine(values: readonly CsvValue[], escapeText = escapeFormula): string {
  return `${values.map((value) => quoted(toText(value, escapeText))).join(",")}\r\n`;
}

function toText(value: CsvValue, escapeText: (text: string) => string): string {
  if (typeof value === "string") return escapeText(value);
  return value instanceof Date ? value.toISOString() : String(value ?? "");
}

const quoted = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
