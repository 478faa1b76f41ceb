// Several reads of one store in one statement.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase, type Database } from "../../app/db.server.ts";
import { NO_ROWS, readTogether, type Read } from "../../app/runtime/database/read-together.ts";
import { createLog } from "../../app/runtime/log.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

const MINE = "mine.myshopify.com";
const THEIRS = "theirs.myshopify.com";
let storage: TestDatabase;
let database: Database;

beforeAll(async () => {
  storage = await freshDatabase();
  database = openDatabase({
    url: storage.serviceUrl,
    region: "default",
    poolSize: 2,
    log: createLog("silent"),
  });
  for (const shop of [MINE, THEIRS])
    for (const sku of ["a", "b", "c"])
      await storage.query(
        "INSERT INTO product_upc_mapping (shop, sku, upc) VALUES ($1, $2, $1 || $2)",
        [shop, sku],
      );
});
afterAll(async () => {
  await database.close();
  await storage.drop();
});

type Product = { sku: string; upc: string };
const products = (skus: readonly string[], limit: number): Read<Product> => ({
  sql: `SELECT sku, upc FROM product_upc_mapping WHERE shop = $1 AND sku = ANY($2::text[])
    ORDER BY sku DESC LIMIT $3::int`,
  values: [skus, limit],
});
const count: Read<{ count: number }> = {
  sql: "SELECT count(*)::int AS count FROM product_upc_mapping WHERE shop = $1",
};

test("each read has its own values and its rows in their order, all of the one store", async () => {
  const rows = await readTogether(database.forTenant(MINE).sql, {
    some: products(["a", "b", "c"], 2),
    count,
    nothing: NO_ROWS,
    one: products(["a"], 5),
  });
  expect(rows).toEqual({
    some: [
      { sku: "c", upc: `${MINE}c` },
      { sku: "b", upc: `${MINE}b` },
    ],
    count: [{ count: 3 }],
    nothing: [],
    one: [{ sku: "a", upc: `${MINE}a` }],
  });
});

test("more than eight values of one read are not mixed up with the store's parameter", async () => {
  const letters = ["p", "q", "r", "s", "t", "u", "v", "w", "x", "y"];
  const echo: Read<{ text: string }> = {
    sql: `SELECT concat(${letters.map((_, at) => `$${at + 2}::text`).join(", ")}) AS text
      FROM product_upc_mapping WHERE shop = $1 AND sku = 'a'`,
    values: letters,
  };
  const { first, second } = await readTogether(database.forTenant(MINE).sql, {
    first: echo,
    second: echo,
  });
  expect([...first, ...second]).toEqual([{ text: letters.join("") }, { text: letters.join("") }]);
});

test("what the platform keeps is read beside the store's, and the store's stays the store's", async () => {
  await storage.query(
    "INSERT INTO product_upc_mapping (shop, sku, upc) VALUES ('*', 'a', 'platform')",
  );
  const rows = await readTogether(database.forTenant(MINE).sql, {
    before: products(["a"], 1),
    platform: { ...products(["a", "b"], 5), isOfPlatform: true },
    after: products(["b"], 1),
  });
  expect(rows).toEqual({
    before: [{ sku: "a", upc: `${MINE}a` }],
    platform: [{ sku: "a", upc: "platform" }],
    after: [{ sku: "b", upc: `${MINE}b` }],
  });
});

test("a read without a filter of the store is refused, also beside one that has it", async () => {
  const all: Read<Product> = { sql: "SELECT sku, upc FROM product_upc_mapping WHERE $1 <> ''" };
  await expect(readTogether(database.forTenant(MINE).sql, { count, all })).rejects.toThrow(
    "this statement has no tenant filter",
  );
});
