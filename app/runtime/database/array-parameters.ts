// Arrays in the form in which Postgres keeps them, for statements that take a batch as columns. As
// text every element is quoted and escaped here and unescaped there, which for JSON is most of its
// length; node-postgres sends a Buffer as it is. Layout: "Array" in Postgres's
// src/backend/utils/adt/arrayfuncs.c (array_send): dimensions, has-null flag, element type, length,
// lower bound; then each element behind its length, -1 for NULL.
import pg from "pg";

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const { TEXT, JSONB, INT2 } = pg.types.builtins;
/** The version byte in front of a jsonb's text. */
const JSONB_VERSION = 1;

/**
 * SQL for an array parameter whose length the planner does not see. With the length it plans a
 * prepared statement again for every batch, which takes longer than the statement itself.
 */
export const anyLength = (place: number, type: string) => `(SELECT $${place}::${type}[])`;

/** SQL for a batch whose columns are the array parameters from `$1` on. */
export const unnestBatch = (...types: readonly string[]) =>
  `unnest(${types.map((type, index) => anyLength(index + 1, type)).join(", ")})`;

/** For `$n::text[]`. */
export const textArray = (values: readonly (string | null)[]): Buffer => strings(TEXT, values, 0);

/** For `$n::jsonb[]`: JSON texts. The database rejects invalid JSON. */
export const jsonbArray = (values: readonly (string | null)[]): Buffer => strings(JSONB, values, 1);

/** For `$n::smallint[]`. */
export function smallintArray(values: readonly number[]): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + 2));
  let at = writeHeader(array, INT2, values.length, false);
  for (const value of values) at = array.writeInt16BE(value, array.writeInt32BE(2, at));
  return array;
}

function strings(type: number, values: readonly (string | null)[], prefixBytes: 0 | 1): Buffer {
  const lengths = values.map((value) =>
    value === null ? -1 : prefixBytes + Buffer.byteLength(value),
  );
  const array = Buffer.allocUnsafe(
    lengths.reduce((bytes, length) => bytes + LENGTH_BYTES + Math.max(length, 0), HEADER_BYTES),
  );
  let at = writeHeader(array, type, values.length, lengths.includes(-1));
  for (const [index, value] of values.entries()) {
    at = array.writeInt32BE(lengths[index] as number, at);
    if (value === null) continue;
    if (prefixBytes === 1) at = array.writeUInt8(JSONB_VERSION, at);
    at += array.write(value, at);
  }
  return array;
}

function writeHeader(array: Buffer, type: number, length: number, hasNull: boolean): number {
  let at = array.writeInt32BE(1, 0);
  at = array.writeInt32BE(hasNull ? 1 : 0, at);
  at = array.writeInt32BE(type, at);
  at = array.writeInt32BE(length, at);
  return array.writeInt32BE(1, at);
}
