// Whether the database is away is told alike by both ways to it: a delivery reads people through Prisma, and must wait
// for the database instead of using up a retry.
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { isDatabaseAway, openDatabase, type Database } from "../../app/runtime/database.ts";
import { createLog } from "../../app/runtime/log.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { SHOP } from "../support/service.ts";

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

const asks = {
  sql: () => database.forTenant(SHOP).sql("SELECT id FROM storefront_users WHERE shop = $1"),
  prisma: () => database.forTenant(SHOP).prisma.storefrontUser.findFirst({ where: { id: 1 } }),
};
const failureOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => null,
    (error: unknown) => error,
  );

test.each(["sql", "prisma"] as const)(
  "a line that is refused counts as away, by %s, and a statement that is wrong does not",
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
  "a database that takes no more connections counts as away, by %s",
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
      // The first ones may find a connection that was ended, the next must make one.
      for (let n = 0; n < 3; n += 1)
        expect(isDatabaseAway(await failureOf(asks[way]()))).toBe(true);
    } finally {
      await beside.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await beside.end();
    }
  },
);

// What Prisma makes of "too many clients" (53300) and of a socket that timed out, by its own codes.
test.each(["P2037", "P1008"])("Prisma's %s counts as away", (code) => {
  expect(isDatabaseAway(Object.assign(new Error("told by its code alone"), { code }))).toBe(true);
});
