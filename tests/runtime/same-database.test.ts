// Which addresses lead to one database, however different they look.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  findSharedDatabases,
  isSameDatabase,
} from "../../app/runtime/database/cells/same-database.ts";
import { connectAsOwner } from "../../app/runtime/database/cells/owner-connection.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";

let one: TestDatabase;
let other: TestDatabase;

beforeAll(async () => {
  [one, other] = await Promise.all([emptyDatabase(), emptyDatabase()]);
});
afterAll(async () => {
  await one.drop();
  await other.drop();
});

const byAnotherName = (url: string) => url.replace("127.0.0.1", "localhost");

test("two addresses of one database are found, by another host name and by another role too", async () => {
  expect(byAnotherName(one.url)).not.toBe(one.url);
  const shared = await findSharedDatabases([
    { cell: "default", setting: "DATABASE_URL", url: one.serviceUrl },
    { cell: "default", setting: "DIRECT_DATABASE_URL", url: one.url },
    { cell: "eu", setting: "DATABASE_URL_EU", url: other.serviceUrl },
    { cell: "us", setting: "DATABASE_URL_US", url: byAnotherName(one.serviceUrl) },
    { cell: "away", setting: "DATABASE_URL_AWAY", url: "postgresql://127.0.0.1:1/away" },
  ]);
  expect(shared.map((pair) => pair.map(({ setting }) => setting))).toEqual([
    ["DATABASE_URL", "DATABASE_URL_US"],
    ["DIRECT_DATABASE_URL", "DATABASE_URL_US"],
  ]);
});

test("two databases of one server are two, and nothing of the question stays locked", async () => {
  const addresses = [
    { cell: "default", setting: "DATABASE_URL", url: one.url },
    { cell: "eu", setting: "DATABASE_URL_EU", url: other.url },
  ];
  expect(await findSharedDatabases(addresses)).toEqual([]);
  const [first, second, third] = await Promise.all(
    [one.url, other.url, byAnotherName(one.url)].map(connectAsOwner),
  );
  expect(await isSameDatabase(first!, second!)).toBe(false);
  expect(await isSameDatabase(first!, third!)).toBe(true);
  for (const connection of [first!, second!, third!]) {
    expect(
      await connection.query(
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory'
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      ),
    ).toEqual([]);
    await connection.close();
  }
});
