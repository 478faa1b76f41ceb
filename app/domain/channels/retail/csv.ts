// The file of retail measurement A: UTF-8, comma, CRLF, a header line, one row per product of an
// order or one row for a customer. Columns are appended and never renamed or moved.
import { toCsvLine } from "../../../runtime/text/csv.ts";
import type { RetailRecord } from "./records.ts";

const COLUMNS = [
  "event_id",
  "event_type",
  "occurred_at",
  "email_sha256",
  "order_id",
  "line",
  "upc",
  "quantity",
  "unit_price",
  "amount",
  "currency",
] as const;
type Row = Record<(typeof COLUMNS)[number], string | null>;

/**
 * Prevents CSV injection: a cell that a spreadsheet would run as a formula gets a quote in front.
 * Plain amounts, also negative ones, are safe.
 */
export const neutralise = (cell: string): string =>
  /^[=+\-@\t\r]/.test(cell) && !/^-?\d+(\.\d+)?$/.test(cell) ? `'${cell}` : cell;

export function toCsv({ items, ...record }: RetailRecord): string {
  const rows =
    items.length === 0
      ? [{ ...record, line: null, upc: null, quantity: null, unit_price: null, amount: null }]
      : items.map((item, index): Row => ({ ...record, line: String(index + 1), ...item }));
  return [
    toCsvLine(COLUMNS),
    ...rows.map((row) =>
      toCsvLine(
        COLUMNS.map((column) => row[column]),
        neutralise,
      ),
    ),
  ].join("");
}

/** A document of a remote backend: the names of its fields, and one row of their values. */
export const toOneRow = (fields: Record<string, unknown>): string =>
  toCsvLine(Object.keys(fields), neutralise) +
  toCsvLine(Object.values(fields).map(toCell), neutralise);

function toCell(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  return typeof value === "string" ? value : JSON.stringify(value);
}
