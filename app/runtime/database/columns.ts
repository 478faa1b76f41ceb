// The types of rows that raw statements return, derived from the models of prisma/schema.prisma, so
// that a renamed column fails the compiler. node-postgres returns some types differently than
// Prisma does.
import type { Prisma } from "../../generated/prisma/client.ts";

/** bigint as number (database.ts), numeric as text, jsonb as any value. */
type ColumnValue<Value> = [Prisma.JsonValue] extends [Value]
  ? unknown
  : Value extends bigint
    ? number
    : Value extends Prisma.Decimal
      ? string
      : Value;

/**
 * The named columns of a model, as a raw statement returns them. Add computed columns: `& { count:
 * number }`.
 */
export type Columns<Model, Name extends keyof Model> = {
  [Column in Name]: ColumnValue<Model[Column]>;
};

/** The same from the outer side of a LEFT JOIN. */
export type NullableColumns<Model, Name extends keyof Model> = {
  [Column in Name]: ColumnValue<Model[Column]> | null;
};
