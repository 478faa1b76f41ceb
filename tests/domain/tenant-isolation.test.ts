// No query crosses tenants: every model and every operation on a tenant's data is run against another
// tenant's rows.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Prisma } from "../../app/generated/prisma/client.ts";
import { openDatabase, type Database } from "../../app/runtime/database/database.ts";
import { createLog } from "../../app/runtime/log.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { MINIMAL_ROWS } from "../support/minimal-rows.ts";

const MINE = "mine.myshopify.com";
const THEIRS = "theirs.myshopify.com";
let storage: TestDatabase;
let database: Database;
/** The other tenant's rows in this test. */
let before: unknown[] | null = null;

type Row = Record<string, unknown>;
type Delegate = Record<string, (args?: object) => Promise<unknown>>;
const models = Object.values(Prisma.ModelName);
const delegateOf = (model: string, shop = MINE) =>
  (database.forTenant(shop).prisma as unknown as Record<string, Delegate>)[
    model.charAt(0).toLowerCase() + model.slice(1)
  ] as Delegate;

/** Columns that are unique across tenants, and so differ in the second row. */
const ELSEWHERE: Record<string, Row> = { PublicHost: { host: "mine.example" } };
const APPEND_ONLY = new Set(["ConsentRecord", "EventLedger"]);
/** The columns that identify a row beside the shop. */
const KEY: Record<string, string[]> = {
  IdentityLink: ["issuer", "sub"],
  CustomerTombstone: ["kind", "subject_hmac"],
  ConsentChainHead: [],
  HeldStore: [],
  ConsentPolicy: ["version", "locale"],
  IntegrationMapping: ["channel", "entity_type"],
  CookieEntry: ["provider", "name"],
  ProductUpcMapping: ["sku"],
  FirmwareRegistry: ["mpn"],
  ReturnCase: ["rma"],
  Mandate: ["mandate_id"],
  OauthClient: ["client_id"],
  OauthToken: ["token_hash"],
  Kv: ["key"],
  PublicHost: ["host"],
  EventLedger: ["event_id"],
  ChannelHour: ["channel", "hour"],
  ChannelMinute: ["channel", "minute", "slot"],
  BannerDraft: [],
  BannerVersion: ["version"],
  BannerDay: ["day", "dimension", "version", "value"],
  ConsentDay: ["day", "consent_type", "outcome"],
  CustomerDay: ["day"],
  DeliveryExchange: ["event_id", "attempt_id"],
};

function uniqueOf(model: string, shop: string): Row {
  const names = ["shop", ...(KEY[model] ?? ["id"])];
  const values = {
    shop,
    ...Object.fromEntries(names.slice(1).map((name) => [name, MINIMAL_ROWS[model]?.[name]])),
  };
  return names.length === 1 ? values : { [names.join("_")]: values };
}

beforeAll(async () => {
  storage = await freshDatabase();
  const tables = await storage.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'
      AND table_name <> '_prisma_migrations'`,
  );
  const parts = tables.map(
    ({ name }) => `SELECT '${name}', to_jsonb(t) FROM "${name}" t WHERE shop = rows_of.tenant`,
  );
  // As a function it is planned once for thousands of calls.
  await storage.query(
    `CREATE FUNCTION rows_of(tenant text) RETURNS TABLE(name text, content jsonb) LANGUAGE plpgsql
      SET plan_cache_mode = force_generic_plan
      AS $$ BEGIN RETURN QUERY ${parts.join(" UNION ALL ")} ORDER BY 1, 2; END $$`,
  );
  database = openDatabase({
    url: storage.url,
    region: "default",
    poolSize: 4,
    log: createLog("silent"),
  });
});
afterAll(async () => {
  await database.close();
  await storage.drop();
});
beforeEach(async () => {
  before = null;
  await storage.truncate();
  for (const shop of [MINE, THEIRS]) {
    await storage.query("INSERT INTO storefront_users (shop, id, email) VALUES ($1, 1, $2)", [
      shop,
      `person@${shop}`,
    ]);
    await storage.query(
      "INSERT INTO crm_tags (shop, id, name, slug) VALUES ($1, 1, 'Tag', 'tag')",
      [shop],
    );
  }
});

/** Every row of the other tenant. */
const dump = (): Promise<unknown[]> => storage.query("SELECT * FROM rows_of($1)", [THEIRS]);

/**
 * It may return or throw anything: the other tenant's rows must be unchanged, and none may be in the
 * result.
 */
async function attempt(what: string, act: () => Promise<unknown>): Promise<void> {
  before ??= await dump();
  let answer: unknown;
  try {
    answer = await act();
  } catch (error) {
    answer = { refused: (error as Error).name };
  }
  const shown =
    JSON.stringify(answer, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    ) ?? "";
  expect({ what, isShown: shown.includes(THEIRS) }).toEqual({ what, isShown: false });
  expect({ what, rows: await dump() }).toEqual({ what, rows: before });
}

test("every table has a row in these tests", () => {
  expect(Object.keys(MINIMAL_ROWS).sort()).toEqual([...models].sort());
});

describe.each(models)("%s", (model) => {
  beforeEach(async () => {
    await delegateOf(model, THEIRS).create?.({ data: MINIMAL_ROWS[model] as Row });
  });
  const theirs = uniqueOf(model, THEIRS);
  const where = { shop: THEIRS };

  test("is not read across tenants by any operation or condition", async () => {
    const mine = delegateOf(model);
    for (const operation of ["findUnique", "findUniqueOrThrow"])
      await attempt(operation, () => mine[operation]?.({ where: theirs }) as Promise<unknown>);
    const tricks = [
      where,
      { OR: [where, {}] },
      { AND: [{ OR: [where, { shop: MINE }] }] },
      { NOT: { shop: MINE } },
      { NOT: [{ shop: "x" }] },
      { OR: [{ NOT: { AND: [{ shop: MINE }] } }, { shop: { in: [MINE, THEIRS] } }] },
      {},
    ];
    for (const condition of tricks)
      for (const operation of ["findFirst", "findFirstOrThrow", "findMany", "groupBy", "aggregate"])
        await attempt(
          `${operation} ${JSON.stringify(condition)}`,
          () =>
            mine[operation]?.({
              where: condition,
              ...(operation === "groupBy" && { by: ["shop"], _count: true }),
              ...(operation === "aggregate" && { _max: { shop: true }, _count: true }),
            }) as Promise<unknown>,
        );
    await attempt("findMany without arguments", () => mine.findMany?.() as Promise<unknown>);
    await attempt("cursor", () => mine.findMany?.({ cursor: theirs }) as Promise<unknown>);
    expect(await mine.count?.({ where })).toBe(0);
  });

  test("is not changed across tenants, and no row moves to another tenant", async () => {
    const mine = delegateOf(model);
    const data = { shop: MINE };
    for (const operation of ["update", "delete"])
      await attempt(
        operation,
        () =>
          mine[operation]?.({
            where: theirs,
            ...(operation === "update" && { data }),
          }) as Promise<unknown>,
      );
    for (const condition of [where, {}, { OR: [where, { shop: MINE }] }, { NOT: { shop: MINE } }]) {
      for (const operation of ["updateMany", "updateManyAndReturn"])
        await attempt(
          `${operation} ${JSON.stringify(condition)}`,
          () => mine[operation]?.({ where: condition, data }) as Promise<unknown>,
        );
      await attempt(
        `deleteMany ${JSON.stringify(condition)}`,
        () => mine.deleteMany?.({ where: condition }) as Promise<unknown>,
      );
    }
    await attempt(
      "upsert",
      () =>
        mine.upsert?.({
          where: theirs,
          create: { ...MINIMAL_ROWS[model], shop: THEIRS },
          update: { shop: THEIRS },
        }) as Promise<unknown>,
    );
  });

  test("is written under the caller's own shop, whatever the row says", async () => {
    const mine = delegateOf(model);
    const row = { ...MINIMAL_ROWS[model], ...ELSEWHERE[model], shop: THEIRS };
    await attempt("create", () => mine.create?.({ data: row }) as Promise<unknown>);
    if (APPEND_ONLY.has(model)) return;
    await mine.deleteMany?.();
    await attempt(
      "createMany",
      () => mine.createMany?.({ data: [row], skipDuplicates: true }) as Promise<unknown>,
    );
    await attempt(
      "createManyAndReturn",
      () => mine.createManyAndReturn?.({ data: [row], skipDuplicates: true }) as Promise<unknown>,
    );
    await attempt(
      "update",
      () =>
        mine.update?.({ where: uniqueOf(model, MINE), data: { shop: THEIRS } }) as Promise<unknown>,
    );
    await attempt(
      "updateMany",
      () => mine.updateMany?.({ data: { shop: THEIRS } }) as Promise<unknown>,
    );
    expect(await mine.count?.()).toBeGreaterThan(0);
  });
});

describe("relations", () => {
  beforeEach(async () => {
    for (const shop of [MINE, THEIRS])
      await storage.query(
        "INSERT INTO user_tag_map (shop, id, user_id, tag_id, source) VALUES ($1, 1, 1, 1, 'ucp')",
        [shop],
      );
    await storage.query(
      "INSERT INTO user_claims (shop, id, user_id, segment_id) VALUES ($1, 1, 1, 'secret')",
      [THEIRS],
    );
  });

  test("lead only to rows of the same tenant", async () => {
    await attempt(
      "include",
      () =>
        delegateOf("StorefrontUser").findMany?.({
          include: {
            claims: true,
            tag_map: {
              include: {
                tag: { include: { users: { include: { user: { include: { claims: true } } } } } },
              },
            },
          },
        }) as Promise<unknown>,
    );
    await attempt(
      "select",
      () =>
        delegateOf("CrmTag").findMany?.({
          select: { users: { where: { shop: THEIRS }, select: { shop: true, user: true } } },
        }) as Promise<unknown>,
    );
  });

  const own = { shop_id: { shop: MINE, id: 1 } };
  const foreign = { shop_id: { shop: THEIRS, id: 1 } };
  const nested: [string, string, Row][] = [
    ["connect a foreign row", "StorefrontUser", { claims: { connect: foreign } }],
    [
      "connect or create one",
      "StorefrontUser",
      { claims: { connectOrCreate: { where: foreign, create: { segment_id: "x" } } } },
    ],
    ["connect a list", "StorefrontUser", { tag_map: { connect: [foreign] } }],
    ["set a list", "StorefrontUser", { tag_map: { set: [foreign] } }],
    ["disconnect one", "StorefrontUser", { tag_map: { disconnect: [foreign] } }],
    ["delete one", "StorefrontUser", { tag_map: { delete: [foreign] } }],
    ["delete many", "StorefrontUser", { tag_map: { deleteMany: { shop: THEIRS } } }],
    [
      "update one",
      "StorefrontUser",
      { tag_map: { update: { where: foreign, data: { source: "admin" } } } },
    ],
    [
      "update many",
      "StorefrontUser",
      { tag_map: { updateMany: { where: { shop: THEIRS }, data: { source: "admin" } } } },
    ],
    [
      "upsert one",
      "StorefrontUser",
      {
        tag_map: {
          upsert: {
            where: foreign,
            update: { source: "admin" },
            create: { tag_id: 1, source: "admin" },
          },
        },
      },
    ],
    ["connect a foreign person", "UserTagMap", { user: { connect: foreign } }],
    ["update through a parent", "UserTagMap", { user: { update: { data: { shop: THEIRS } } } }],
  ];
  test.each(nested)(
    "cannot be used to write into another tenant: %s",
    async (what, model, data) => {
      await attempt(
        `${what} in an update`,
        () => delegateOf(model).update?.({ where: own, data }) as Promise<unknown>,
      );
      await attempt(
        `${what} in an upsert`,
        () =>
          delegateOf(model).upsert?.({
            where: own,
            update: data,
            create: data,
          }) as Promise<unknown>,
      );
      await attempt(
        `${what} in a create`,
        () => delegateOf(model).create?.({ data: { id: 99, ...data } }) as Promise<unknown>,
      );
    },
  );
});

describe("a tenant's Prisma client", () => {
  test.each([
    "$queryRaw",
    "$queryRawUnsafe",
    "$executeRaw",
    "$executeRawUnsafe",
    "$transaction",
    "$extends",
    "$on",
  ])("has no %s", (name) => {
    const prisma = database.forTenant(MINE).prisma as unknown as Record<string, unknown>;
    expect(() => prisma[name]).toThrow("would reach every tenant");
  });

  test.each(models)("does not expose the unrestricted client through %s", (model) => {
    const delegate = delegateOf(model) as unknown as Record<string, unknown>;
    expect(() => delegate.$parent).toThrow("would reach every tenant");
  });
});

describe("a statement", () => {
  const run = (text: string, values: unknown[] = []) => database.forTenant(MINE).sql(text, values);

  test.each([
    "SELECT * FROM kv",
    "SELECT * FROM kv WHERE key = $2",
    "SELECT * FROM kv WHERE shop = $2",
    "SELECT * FROM kv WHERE shop = $10",
    "SELECT * FROM kv WHERE shop <> $1",
    "SELECT * FROM kv WHERE workshop = $1",
    "DELETE FROM kv",
    "UPDATE kv SET value = '1' WHERE key = $2",
    "INSERT INTO kv (key, shop, value) VALUES ($2, $1, '1')",
    "INSERT INTO kv (shop, key, value) VALUES ($2, 'k', to_jsonb($1::text))",
    "INSERT INTO kv (shop, key, value) SELECT shop, $1, value FROM kv",
    "TRUNCATE kv",
    "",
  ])("without the tenant's filter is rejected before it runs: %s", async (text) => {
    before = await dump();
    await expect(run(text, [THEIRS])).rejects.toThrow("no tenant filter");
    await expect(
      database.forTenant(MINE).transaction((sql) => sql(text, [THEIRS])),
    ).rejects.toThrow("no tenant filter");
    expect(await dump()).toEqual(before);
  });

  test("with the filter reads and writes the tenant's rows only", async () => {
    await run("INSERT INTO kv (shop, key, value) VALUES ($1, $2, '1')", ["k"]);
    expect(await run("SELECT shop FROM kv WHERE shop = $1")).toEqual([{ shop: MINE }]);
    expect(await database.forTenant(THEIRS).sql("SELECT 1 FROM kv AS k WHERE k.shop = $1")).toEqual(
      [],
    );
  });

  test("cannot change the value of $1", async () => {
    await attempt("a foreign shop as a value", () =>
      run("UPDATE storefront_users SET first_name = 'x' WHERE shop = $1 AND email = $2", [
        `person@${THEIRS}`,
      ]),
    );
  });
});
