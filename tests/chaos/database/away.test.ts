// Database outages are detected alike through pg and through Prisma: a delivery that reads a person
// through Prisma must wait for the database instead of using up an attempt.
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openDatabase, type Database } from "../../../app/runtime/database/database.ts";
import { isDatabaseAway } from "../../../app/runtime/database/postgres-errors.ts";
import { createLog } from "../../../app/runtime/log.ts";
import { failureOf, freshDatabase, type TestDatabase } from "../../support/database.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../../support/processes/database-proxy.ts";
import { SHOP } from "../../support/service.ts";

let plain: TestDatabase;
let proxy: DatabaseProxy;
let database: Database;

beforeAll(async () => {
  plain = await freshDatabase();
  proxy = await startDatabaseProxy(plain.url);
  database = openDatabase({
    url: proxy.url,
    region: "default",
    poolSize: 2,
    log: createLog("silent"),
  });
});
afterAll(async () => {
  await database.close();
  await proxy.stop();
  await plain.drop();
});

const asksOf = (asked: Database) => ({
  sql: () => asked.forTenant(SHOP).sql("SELECT id FROM storefront_users WHERE shop = $1"),
  prisma: () => asked.forTenant(SHOP).prisma.storefrontUser.findFirst({ where: { id: 1 } }),
});
const asks = { sql: () => asksOf(database).sql(), prisma: () => asksOf(database).prisma() };

test.each(["sql", "prisma"] as const)(
  "a refused connection counts as an outage, by %s, and an invalid statement does not",
  async (way) => {
    await proxy.refuse();
    expect(isDatabaseAway(await failureOf(asks[way]()))).toBe(true);
    await proxy.restore();
    await asks[way]();
    expect(
      isDatabaseAway(
        await failureOf(
          database.forTenant(SHOP).sql("SELECT nothing FROM storefront_users WHERE shop = $1"),
        ),
      ),
    ).toBe(false);
  },
);

test.each(["sql", "prisma"] as const)(
  "a database without free connections counts as an outage, by %s",
  async (way) => {
    const name = new URL(plain.url).pathname.slice(1);
    const beside = new pg.Client({ connectionString: inject("databaseServer").url });
    await beside.connect();
    await beside.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await beside.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
      [name],
    );
    try {
      // The first ones may find an ended connection; the next must open a new one.
      for (let n = 0; n < 3; n += 1)
        expect(isDatabaseAway(await failureOf(asks[way]()))).toBe(true);
    } finally {
      await beside.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await beside.end();
    }
  },
);

test.each(["sql", "prisma"] as const)(
  "a server whose Unix socket is gone counts as an outage, by %s",
  async (way) => {
    const local = openDatabase({
      url: `postgresql://user:password@/app?host=${join(tmpdir(), "no-server-here")}`,
      region: "default",
      poolSize: 2,
      log: createLog("silent"),
    });
    const failure = await failureOf(asksOf(local)[way]());
    await local.close();
    expect(failure).toMatchObject({ code: "ENOENT" });
    expect(isDatabaseAway(failure)).toBe(true);
  },
);

// What Node says when name servers or the network are away for a moment.
test.each(["EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"])("%s counts as an outage", (code) => {
  expect(isDatabaseAway(Object.assign(new Error("identified by its code only"), { code }))).toBe(
    true,
  );
});

test("a file that does not exist is no outage of the database", async () => {
  expect(isDatabaseAway(await failureOf(readFile(join(tmpdir(), "no-file-here"))))).toBe(false);
});

// Prisma's own codes for "too many clients" (53300) and a socket timeout.
test.each(["P2037", "P1008"])("Prisma's %s counts as an outage", (code) => {
  expect(isDatabaseAway(Object.assign(new Error("identified by its code only"), { code }))).toBe(
    true,
  );
});

test("a database whose connections have gone silent can be closed: its listener and its statements end", async () => {
  const silent = openDatabase({
    url: proxy.url,
    region: "default",
    poolSize: 2,
    log: createLog("silent"),
  });
  const listener = await silent.listen("nothing", () => {});
  await silent.time();
  proxy.deafen();
  const asked = failureOf(silent.acrossTenants("SELECT 1"));
  await listener.stop();
  await silent.close();
  expect(isDatabaseAway(await asked)).toBe(true);
});
