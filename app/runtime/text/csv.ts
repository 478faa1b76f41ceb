// Lines of CSV files (RFC 4180): values between commas, CRLF at the end. A value that contains one
// of them, a lone CR or a lone LF is quoted, because readers end a line at each of the three.
export type CsvValue = string | number | boolean | Date | null;

/** Leading spaces count too, because spreadsheets may drop them. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/;
/**
 * A spreadsheet that separates by semicolons begins a cell after each of these, also inside of our quotes. There
 * the quotes at the beginning of a cell are its own: what follows them is its text.
 */
const LATER_FORMULA = /([;\t\r\n](?:"|[^\S\t\r\n])*)([=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** Prevents formula injection: a text that a spreadsheet would run gets a quote in front. */
function escapeFormula(text: string): string {
  const safe = text.replaceAll(LATER_FORMULA, "$1'$2");
  return FORMULA.test(safe) ? `'${safe}` : safe;
}

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
