// POST /admin/provision-region: a second database, and a store whose rows are only there.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dataOf, getTenant } from "../../../app/domain/tenants/tenant.ts";
import { isStoreMoving } from "../../../app/runtime/database/postgres-errors.ts";
import { emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { CUSTOMER_2024_10, GID } from "../../support/storefront/payloads.ts";
import {
  ADMIN_KEY,
  APP_SECRET,
  eventually,
  OTHER_SHOP,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";

const TENANT_KEY = "tenant-key-of-the-test-store";
const BUSY = "busy-store.myshopify.com";
const RACING = ["open-transaction", "old-record", "busy-writers"].map(
  (name) => `${name}.myshopify.com`,
) as [string, string, string];
let service: Service;
let eu: TestDatabase;

beforeAll(async () => {
  eu = await emptyDatabase();
  service = await startService({
    background: true,
    env: { DATABASE_URL_EU: eu.serviceUrl, DIRECT_DATABASE_URL_EU: eu.url },
    envFrom: (_sandbox, database) => ({ DIRECT_DATABASE_URL: database.url }),
  });
  await service.addTenant(SHOP, { admin_key: TENANT_KEY });
  for (const shop of [OTHER_SHOP, BUSY, ...RACING]) await service.addTenant(shop);
});
afterAll(async () => {
  await service.stop();
  await eu.drop();
});

const provision = (
  region: unknown,
  { shop = SHOP, key = ADMIN_KEY }: { shop?: string; key?: string | null } = {},
) => service.call("POST", `/admin/provision-region?shop=${shop}`, { body: { region }, key });
const regionOf = async (shop: string) =>
  (await service.call("GET", "/admin/tenants")).json.tenants.find(
    (tenant: { shop: string }) => tenant.shop === shop,
  ).region as string;
const tablesOf = async (database: TestDatabase) =>
  (
    await database.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
    )
  ).map(({ name }) => name);

describe("an unused region", () => {
  test("with an empty database affects neither the metrics nor the health of the others", async () => {
    expect(await tablesOf(eu)).toEqual([]);
    for (let look = 0; look < 20; look += 1) await eu.query("NOTIFY webhook_inbox");
    expect((await service.call("GET", "/health")).status).toBe(200);
    const metrics = await service.call("GET", "/metrics");
    expect(metrics.status).toBe(200);
    expect(metrics.text).toMatch(/^database_up\{region="default"\} 1$/m);
    expect(metrics.text).toMatch(/^database_up\{region="eu"\} 0$/m);
  });
});

describe("an assignment is rejected and changes nothing", () => {
  test("with any key but the operator's", async () => {
    for (const [key, status] of [
      [null, 401],
      ["wrong-key-0123456789", 401],
      [TENANT_KEY, 403],
      [APP_SECRET, 403],
    ] as const)
      expect((await provision("eu", { key })).status).toBe(status);
    expect((await provision("eu", { shop: OTHER_SHOP, key: TENANT_KEY })).status).toBe(401);
    expect([await regionOf(SHOP), await tablesOf(eu)]).toEqual(["default", []]);
  });

  test.each([
    ["mars", "unknown_region"],
    ["EU", "invalid_request"],
    ["eu; DROP TABLE kv", "invalid_request"],
    ["", "invalid_request"],
    [5, "invalid_request"],
    [undefined, "invalid_request"],
  ])("for an unknown region: %s", async (region, code) => {
    const answer = await provision(region);
    expect([answer.status, answer.json.code]).toEqual([400, code]);
    expect(await regionOf(SHOP)).toBe("default");
  });

  test("for a region without a database, naming the missing setting but never an address", async () => {
    const answer = await provision("asia-1");
    expect(answer.json.message).toContain("DATABASE_URL_ASIA_1");
    expect(answer.text).not.toContain("postgres://");
  });

  test("for an unregistered store, or by another method", async () => {
    expect((await provision("eu", { shop: "unknown-store.myshopify.com" })).status).toBe(404);
    expect((await service.call("GET", `/admin/provision-region?shop=${SHOP}`)).status).toBe(405);
  });

  test("without the owner's address of the cell that the store leaves", async () => {
    const { directDatabaseUrls } = service.ctx.config as {
      directDatabaseUrls: Record<string, string>;
    };
    const owner = directDatabaseUrls.default as string;
    directDatabaseUrls.default = service.database.directServiceUrl;
    const answer = await provision("eu", { shop: BUSY });
    directDatabaseUrls.default = owner;
    expect([answer.status, answer.json.code]).toEqual([409, "move_not_possible"]);
    expect(answer.json.missing).toEqual([expect.stringContaining("DIRECT_DATABASE_URL")]);
    expect(await regionOf(BUSY)).toBe("default");
  });

  test("for a store that already has rows", async () => {
    await service.webhook("customer-update", CUSTOMER_2024_10, { shop: BUSY });
    const answer = await service.call("POST", `/config?shop=${BUSY}`, {
      body: { region: "eu", brand_name: "Not stored" },
    });
    expect([answer.status, answer.json.error, answer.json.code]).toEqual([
      409,
      "Conflict",
      "tenant_has_data",
    ]);
    expect(await regionOf(BUSY)).toBe("default");
    expect((await service.call("GET", `/config?shop=${BUSY}`)).json.config).not.toHaveProperty(
      "brand_name",
    );
  });
});

describe("a store assigned to a region", () => {
  test("has all tables there, and assigning it again changes nothing", async () => {
    const home = (await tablesOf(service.database)).filter((name) => name !== "_prisma_migrations");
    for (let round = 0; round < 2; round += 1)
      expect((await provision("eu")).json).toEqual({
        ok: true,
        shop: SHOP,
        region: "eu",
        tables: home.length,
      });
    expect((await tablesOf(eu)).filter((name) => name !== "_prisma_migrations")).toEqual(home);
    expect(
      (await service.call("GET", "/admin/tenants?region=eu")).json.tenants.map(
        ({ shop }: { shop: string }) => shop,
      ),
    ).toEqual([SHOP]);
  });

  test("has its webhooks, customers, queue and log only there, and the worker delivers from there", async () => {
    expect((await service.webhook("customer-update", CUSTOMER_2024_10)).status).toBe(200);
    await eventually(
      "three deliveries in the log",
      async () =>
        (await service.call("GET", `/admin/events/log?shop=${SHOP}`)).json.entries.length === 3,
    );
    const rowsIn = async (database: TestDatabase) => {
      const counts: Record<string, number> = {};
      for (const table of [
        "storefront_users",
        "user_claims",
        "webhook_inbox",
        "integration_queue",
        "event_ledger",
        "delivery_attempts",
      ])
        counts[table] = (
          await database.query(`SELECT count(*)::int AS n FROM ${table} WHERE shop = $1`, [SHOP])
        )[0].n;
      return counts;
    };
    expect(await rowsIn(eu)).toEqual({
      storefront_users: 1,
      user_claims: 0,
      webhook_inbox: 1,
      integration_queue: 3,
      event_ledger: 1,
      delivery_attempts: 3,
    });
    expect(Object.values(await rowsIn(service.database))).toEqual([0, 0, 0, 0, 0, 0]);
    expect(
      await service.database.query(
        "SELECT shop FROM storefront_users WHERE storefront_customer_gid = $1",
        [GID],
      ),
    ).toEqual([{ shop: BUSY }]);
  });

  test("stores no secret in the region: its record stays in the home database", async () => {
    expect(await eu.query("SELECT 1 FROM kv WHERE key LIKE 'tenant:%'")).toEqual([]);
  });

  test("cannot leave it by its configuration once it has rows", async () => {
    expect(
      (await service.call("POST", `/config?shop=${SHOP}`, { body: { region: null } })).status,
    ).toBe(409);
    expect(await regionOf(SHOP)).toBe("eu");
  });

  test("may be assigned by saving its configuration", async () => {
    expect(
      (await service.call("POST", `/config?shop=${OTHER_SHOP}`, { body: { region: "eu" } })).status,
    ).toBe(200);
    expect(await regionOf(OTHER_SHOP)).toBe("eu");
    expect(
      (await service.call("POST", `/config?shop=${OTHER_SHOP}`, { body: { region: null } })).status,
    ).toBe(200);
    expect(await regionOf(OTHER_SHOP)).toBe("default");
  });

  test("appears in the metrics of its region", async () => {
    const { text } = await service.call("GET", "/metrics");
    expect(text).toMatch(/^database_up\{region="eu"\} 1$/m);
  });
});

describe("a row that is written while its store is assigned is never left behind", () => {
  const assign = (shop: string) =>
    service.call("POST", `/config?shop=${shop}`, { body: { region: "eu" } });
  const segment = () => ({ id: randomUUID(), name: randomUUID(), filter: {} }) as never;
  const segmentsIn = async (database: TestDatabase, shop: string) =>
    (await database.query("SELECT name FROM segments WHERE shop = $1", [shop])).map(
      ({ name }: { name: string }) => name,
    );

  test("by a transaction that is still open: the store stays with it, and is written on", async () => {
    const [shop] = RACING;
    const data = dataOf(service.ctx, await getTenant(service.ctx, shop));
    let commit = () => {};
    let isWritten = false;
    const writing = data.transaction(async (_, prisma) => {
      await prisma.segment.create({ data: segment() });
      isWritten = true;
      await new Promise<void>((done) => (commit = done));
    });
    await eventually("the row", () => isWritten);
    const assigning = assign(shop);
    await eventually("the assignment waits", async () => {
      const waiting = await service.database.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
          AND application_name = 'store-moves' AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    commit();
    await writing;
    expect((await assigning).json.code).toBe("tenant_has_data");
    await data.prisma.segment.create({ data: segment() });
    expect(await segmentsIn(service.database, shop)).toHaveLength(2);
    expect(await regionOf(shop)).toBe("default");
    const guards = await service.database.query(
      "SELECT 1 FROM pg_trigger WHERE encode(tgargs, 'escape') LIKE $1",
      [`${shop}%`],
    );
    expect(guards).toEqual([]);
  });

  test("by a process with the old record: it is refused", async () => {
    const [, shop] = RACING;
    const old = dataOf(service.ctx, await getTenant(service.ctx, shop));
    expect((await assign(shop)).status).toBe(200);
    await expect(old.prisma.segment.create({ data: segment() })).rejects.toSatisfy(isStoreMoving);
    await expect(
      old.sql("INSERT INTO kv (shop, key, value) VALUES ($1, 'late', '1'::jsonb)"),
    ).rejects.toSatisfy(isStoreMoving);
    expect(await segmentsIn(service.database, shop)).toEqual([]);
    // And back again: what refused the store there is gone.
    const back = await service.call("POST", `/config?shop=${shop}`, { body: { region: null } });
    expect(back.status).toBe(200);
    await old.prisma.segment.create({ data: segment() });
  });

  test("by many at once: what was written is where the store is", async () => {
    const [, , shop] = RACING;
    const written: string[] = [];
    let isAssigned = false;
    const write = async () => {
      while (!isAssigned) {
        const data = segment() as { name: string };
        const tenant = await getTenant(service.ctx, shop);
        await dataOf(service.ctx, tenant)
          .prisma.segment.create({ data: data as never })
          .then(
            () => written.push(data.name),
            (error: unknown) => expect(error).toSatisfy(isStoreMoving),
          );
      }
    };
    const writers = [write(), write(), write()];
    const answer = await assign(shop);
    isAssigned = true;
    await Promise.all(writers);
    const here = answer.status === 200 ? eu : service.database;
    expect((await segmentsIn(here, shop)).toSorted()).toEqual(written.toSorted());
    expect(await segmentsIn(here === eu ? service.database : eu, shop)).toEqual([]);
  });
});

test("what failed while the region had no tables was logged once, however often the worker looked", () => {
  expect(
    service.logged.filter(
      ({ event, queue }) => event === "queue.not_claimed" && queue === "webhook_inbox",
    ),
  ).toHaveLength(1);
});
