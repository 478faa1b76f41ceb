// A batch of items as array parameters, one per column. A column's name, type and value stand together:
// the statement's text and its parameters derive from them, so that neither can be in another order.
import { jsonbArray, smallintArray, textArray } from "./array-parameters.ts";

/** What a column of each type takes; `jsonb`: JSON text. */
type ColumnValues = {
  text: string | null;
  jsonb: string | null;
  smallint: number;
  int: number | null;
  bigint: number;
  float8: number;
  uuid: string;
  boolean: boolean;
  timestamptz: Date | null;
};
type ColumnType = keyof ColumnValues;
type Column<Item> = {
  [Type in ColumnType]: readonly [type: Type, of: (item: Item) => ColumnValues[Type]];
}[ColumnType];

const asItIs = (values: readonly unknown[]): unknown => values;
/** Each type's array as it is sent: in Postgres's own format, or as text by node-postgres. */
const TO_PARAMETER = {
  text: textArray,
  jsonb: jsonbArray,
  smallint: smallintArray,
  int: asItIs,
  bigint: asItIs,
  float8: asItIs,
  uuid: asItIs,
  boolean: asItIs,
  timestamptz: asItIs,
} satisfies { [Type in ColumnType]: (values: readonly ColumnValues[Type][]) => unknown };

export type BatchColumns<Item> = {
  /** `a, b`: for a list of columns, or behind the alias of an `unnest`. */
  names: string;
  types: readonly ColumnType[];
  /** `$3::text[], $4::int[]`: for an `unnest`, from the parameter `$first` on. */
  arrays(first: number): string;
  /** The values of these parameters. */
  values(items: readonly Item[]): unknown[];
};

export function batchColumns<Item>(columns: Record<string, Column<Item>>): BatchColumns<Item> {
  const all = Object.values(columns).map(([type, of]) => ({
    type,
    of: of as (item: Item) => never,
    toParameter: TO_PARAMETER[type],
  }));
  return {
    names: Object.keys(columns).join(", "),
    types: all.map(({ type }) => type),
    arrays: (first) => all.map(({ type }, index) => `$${first + index}::${type}[]`).join(", "),
    values: (items) => all.map(({ of, toParameter }) => toParameter(items.map(of))),
  };
}
