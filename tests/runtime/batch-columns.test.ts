// Batches as columns, checked on a real server.
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { unnestBatch } from "../../app/runtime/database/array-parameters.ts";
import { batchColumns } from "../../app/runtime/database/batch-columns.ts";

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: inject("databaseServer").url });
  await client.connect();
});
afterAll(() => client.end());

type Item = {
  name: string | null;
  body: object | null;
  size: number;
  status: number | null;
  row: number;
  ms: number;
  token: string;
  isOld: boolean;
  at: Date | null;
};
const COLUMNS = batchColumns<Item>({
  name: ["text", ({ name }) => name],
  body: ["jsonb", ({ body }) => body && JSON.stringify(body)],
  size: ["smallint", ({ size }) => size],
  status: ["int", ({ status }) => status],
  row_id: ["bigint", ({ row }) => row],
  ms: ["float8", ({ ms }) => ms],
  token: ["uuid", ({ token }) => token],
  is_old: ["boolean", ({ isOld }) => isOld],
  at: ["timestamptz", ({ at }) => at],
});
const FULL: Item = {
  name: `"{},\\'`,
  body: { a: [1, "é"] },
  size: -3,
  status: 422,
  row: 2 ** 40,
  ms: 0.25,
  token: "0198c2a0-0000-7000-8000-000000000001",
  isOld: true,
  at: new Date("2024-02-29T12:00:00.123Z"),
};
const EMPTY: Item = { ...FULL, name: null, body: null, status: null, isOld: false, at: null };

const read = async (from: string, values: unknown[]) =>
  (await client.query(`SELECT * FROM ${from} AS u(${COLUMNS.names})`, values)).rows.map((row) => ({
    ...row,
    row_id: Number(row.row_id),
  }));
const toRow = ({ row, isOld, ...others }: Item) => ({ ...others, row_id: row, is_old: isOld });

test("every column has the value of its own name, row by row, for each type and for NULL", async () => {
  const rows = await read(`unnest(${COLUMNS.arrays(1)})`, COLUMNS.values([FULL, EMPTY]));
  expect(rows).toEqual([FULL, EMPTY].map(toRow));
});

test("the columns begin at any parameter, and an empty batch has no rows", async () => {
  const { rows } = await client.query(
    `SELECT $1::text AS before, count(u.*)::int FROM unnest(${COLUMNS.arrays(2)}) AS u`,
    ["first", ...COLUMNS.values([])],
  );
  expect(rows).toEqual([{ before: "first", count: 0 }]);
});

test("a statement that must not see the number of its values gets the same rows", async () => {
  expect(await read(unnestBatch(...COLUMNS.types), COLUMNS.values([FULL]))).toEqual([toRow(FULL)]);
});
