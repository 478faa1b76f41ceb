// Rows of two partitions have the same physical position (ctid): what walks or deletes rows must not go by it
// alone. Two tables are partitioned here, as an operator may do.
import { afterAll, beforeAll, expect, it } from "vitest";
import { redactReferences } from "../../app/domain/compliance/erasure/erase-rows.ts";
import { searchTables } from "../../app/domain/compliance/erasure/erasure-proof.ts";
import { textSearch } from "../../app/domain/compliance/personal-values/text-search.ts";
import { addressSpellings, type KnownSubject } from "../../app/domain/compliance/subject.ts";
import { tableSlices, tenantTables } from "../../app/domain/compliance/erasure/table-slices.ts";
import { openDatabase, type Database } from "../../app/runtime/database/database.ts";
import { putKeysIfAbsent } from "../../app/runtime/database/kv.ts";
import { KEYS } from "../../app/runtime/database/kv-keys.ts";
import { forgetHistory } from "../../app/runtime/database/retention.ts";
import { createLog } from "../../app/runtime/log.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { OTHER_SHOP, SHOP } from "../support/service.ts";

const ADA: KnownSubject = {
  userIds: [],
  gids: [],
  emails: ["ada@person.example"],
  phones: [],
  names: [],
  orders: [],
  eventIds: [],
};
/** More rows than two slices have. */
const ROWS = 12_000;
/** Every hundredth mentions the person. */
const MENTIONS = ROWS / 100;

let test: TestDatabase;
let database: Database;

async function partition(table: string, by: string, key: string, parts: string[]): Promise<void> {
  await test.query(`ALTER TABLE ${table} SET SCHEMA aside`);
  await test.query(
    `CREATE TABLE ${table} (LIKE aside.${table} INCLUDING ALL EXCLUDING INDEXES, PRIMARY KEY (${key})) PARTITION BY ${by}`,
  );
  for (const [at, part] of parts.entries())
    await test.query(`CREATE TABLE ${table}_${at} PARTITION OF ${table} FOR VALUES ${part}`);
}

beforeAll(async () => {
  test = await freshDatabase();
  await test.query("CREATE SCHEMA aside");
  await partition("delivery_attempts", "RANGE (created_at)", "shop, id, created_at", [
    "FROM (MINVALUE) TO (now() - interval '10 days')",
    "FROM (now() - interval '10 days') TO (MAXVALUE)",
  ]);
  await partition(
    "kv",
    "HASH (key)",
    "shop, key",
    [0, 1].map((part) => `WITH (MODULUS 2, REMAINDER ${part})`),
  );
  database = openDatabase({
    url: test.url,
    region: "default",
    poolSize: 2,
    log: createLog("silent"),
  });
  for (const shop of [SHOP, OTHER_SHOP])
    await test.query(
      `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms, error, created_at)
       SELECT $1, n, 'e-' || n, 'cms', 1, 'failed', 1,
         CASE WHEN n % 100 = 0 THEN 'refused for Ada@Person.example' ELSE 'refused' END,
         now() - make_interval(days => CASE WHEN n % 2 = 0 THEN 40 ELSE 1 END)
       FROM generate_series(1, ${ROWS}) AS n`,
      [shop],
    );
});
afterAll(async () => {
  await database?.close();
  await test.drop();
});

const countOf = async (where: string) =>
  (
    await test.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM delivery_attempts WHERE ${where}`,
    )
  )[0]!.n;

it("a partitioned table counts as one, with its primary key", async () => {
  const found = (await tenantTables(database)).filter(({ name }) =>
    /^(delivery_attempts|kv)/.test(name),
  );
  expect(found.map(({ name, key }) => [name, key])).toEqual([
    [
      "delivery_attempts",
      [
        { column: "id", type: "bigint" },
        { column: "created_at", type: "timestamp with time zone" },
      ],
    ],
    ["kv", [{ column: "key", type: "text" }]],
  ]);
});

it("the slices of a store cover each of its rows once and none of another store", async () => {
  const sizes: number[] = [];
  for await (const { condition, values } of tableSlices(database, SHOP, "delivery_attempts", 2)) {
    const [row] = await database
      .forTenant(SHOP)
      .sql<{ n: number }>(
        `SELECT count(*)::int AS n FROM delivery_attempts WHERE shop = $1 AND ${condition}`,
        values,
      );
    sizes.push(row!.n);
  }
  expect(sizes).toEqual([5_000, 5_000, 2_000]);
});

it("an erasure is proven over all partitions, and changes no row of another person or store", async () => {
  const search = () => searchTables(database, SHOP, () => textSearch(addressSpellings(ADA)));
  expect((await search()).residual).toEqual({ delivery_attempts: MENTIONS });
  expect((await redactReferences(database, SHOP, ADA, [])).delivery_attempts).toBe(MENTIONS);
  expect((await search()).residual).toEqual({});
  expect(await countOf(`shop = '${SHOP}' AND error = 'refused'`)).toBe(ROWS - MENTIONS);
  expect(await countOf(`shop = '${OTHER_SHOP}' AND error IS NOT NULL`)).toBe(ROWS);
});

it("retention deletes the old rows of every partition and keeps each younger one", async () => {
  const rule = { table: "delivery_attempts", column: "created_at", where: "true", after: 30 };
  expect(await forgetHistory(database, [rule], new AbortController().signal)).toBe(ROWS);
  expect(await countOf("created_at > now() - interval '2 days'")).toBe(ROWS);
  expect(await countOf("true")).toBe(ROWS);
});

it("a key is put once, whichever partition it is in", async () => {
  const { sql } = database.forTenant(SHOP);
  const put = () => putKeysIfAbsent(sql, ["a", "b", "c", "d"].map(KEYS.event), 1, 60);
  expect(await put()).toHaveLength(4);
  expect(await put()).toEqual([]);
});
