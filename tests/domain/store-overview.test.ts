// What the home page and the tags page read of a store: its own rows.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { setAgentAccess } from "../../app/domain/agents/agent-kill-switch.ts";
import { foldCustomerDays } from "../../app/domain/customers/customer-days.ts";
import { recordConsent } from "../../app/domain/consent/record-consent.ts";
import { readHome } from "../../app/domain/merchant/home/read-home.ts";
import { readStoreOverview } from "../../app/domain/merchant/home/store-overview.ts";
import { countThresholdTags } from "../../app/domain/customers/system-tags/rule-settings.ts";
import { readTagUsage } from "../../app/domain/tags/tag-usage.ts";
import { registerTenant } from "../../app/domain/tenants/tenant-record.ts";
import { findTenant, getTenant } from "../../app/domain/tenants/tenant.ts";
import { runStep } from "../support/processes/scheduled-step.ts";
import { putPerson } from "../support/storefront/customers.ts";
import { startTestApp, type TestApp } from "../support/browser/screens-server.ts";

const [SHOP, OTHER] = ["overview.myshopify.com", "other.myshopify.com"];
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.database.truncate();
  await Promise.all([SHOP, OTHER].map((shop) => registerTenant(app.ctx, shop)));
});

const healthOf = async (shop: string) =>
  (await readHome(app.ctx, shop, await findTenant(app.ctx, shop))).health;
const knownOverview = async (shop: string) => {
  const overview = await readStoreOverview(app.ctx, await getTenant(app.ctx, shop));
  if (overview.state !== "known") throw new Error(`the overview is ${overview.state}`);
  return overview;
};

test("a sign-up is a new account or a contact that signed up; the numbers stay the same when they are folded", async () => {
  const { query } = app.database;
  const now = new Date().toISOString();
  await putPerson(app.database, SHOP, { email: "new@x.example", last_login_at: now });
  const contact = await putPerson(app.database, SHOP, { email: "contact@x.example" });
  await query("UPDATE storefront_users SET created_at = now() - interval '29 days' WHERE id = $1", [
    contact,
  ]);
  const old = await putPerson(app.database, SHOP, {
    email: "old@x.example",
    last_login_at: now,
    gid: "gid://shopify/Customer/1",
  });
  await query("UPDATE storefront_users SET created_at = now() - interval '45 days' WHERE id = $1", [
    old,
  ]);
  await putPerson(app.database, SHOP, {
    email: "synced@x.example",
    gid: "gid://shopify/Customer/2",
  });
  await putPerson(app.database, OTHER, {
    email: "foreign@x.example",
    gid: "gid://shopify/Customer/3",
    last_login_at: now,
  });
  const consent = { userId: contact, method: "signup", consentId: "1" } as const;
  await app.ctx.home.forTenant(SHOP).transaction((sql) =>
    recordConsent(sql, { connection: {} }, [
      { ...consent, consentType: "tos", action: "granted" },
      { ...consent, consentType: "privacy", action: "granted" },
      { ...consent, consentType: "marketing", action: "revoked" },
      { ...consent, userId: old, consentType: "marketing", action: "granted", method: "banner" },
      { ...consent, userId: old, consentType: "marketing", action: "revoked", method: "banner" },
    ]),
  );
  await query(
    `INSERT INTO channel_minutes (shop, channel, minute, delivered, failed, skipped, latency_ms_sum)
      VALUES ($1, 'cms', now(), 7, 1, 4, 0), ($1, 'cms', now() - interval '35 days', 9, 1, 0, 0),
      ($2, 'cms', now(), 500, 500, 0, 0)`,
    [SHOP, OTHER],
  );
  const { metrics, activity } = await knownOverview(SHOP);
  expect(metrics).toMatchObject({
    customers: { value: 4, before: 1 },
    signUps: { value: 2, before: 1 },
    optIn: { value: 0.5, before: null },
    delivery: { value: 7 / 8, before: 9 / 10 },
  });
  expect(metrics.decisions.at(-1)).toMatchObject({ granted: 1, declined: 1, withdrawn: 1 });
  expect(metrics.customers.days).toHaveLength(30);
  expect(JSON.stringify(activity)).not.toContain("foreign@x.example");
  expect(activity.filter((item) => item.kind === "person" && item.userId === contact)).toEqual([
    expect.objectContaining({
      name: "contact@x.example",
      decisions: [
        { type: "marketing", decision: "declined" },
        { type: "privacy", decision: "granted" },
        { type: "tos", decision: "granted" },
      ],
    }),
  ]);

  const tenant = await getTenant(app.ctx, SHOP);
  expect(await runStep(app.ctx, tenant, "rollups")).toMatchObject({
    customer_days: expect.any(Number),
  });
  expect(await foldCustomerDays(app.ctx, tenant)).toBe(0);
  expect((await knownOverview(SHOP)).metrics).toEqual(metrics);
  await putPerson(app.database, SHOP, { email: "later@x.example", last_login_at: now });
  expect((await knownOverview(SHOP)).metrics).toMatchObject({
    customers: { value: 5 },
    signUps: { value: 3 },
  });
  await foldCustomerDays(app.ctx, tenant);
  await query("UPDATE storefront_users SET status = 'deleted' WHERE id = $1", [old]);
  // The next day's fold counts all customers again.
  await query(
    "UPDATE kv SET value = value || '{\"day\": \"2026-01-01\"}' WHERE key = 'customer_days'",
    [],
  );
  await foldCustomerDays(app.ctx, tenant);
  expect((await knownOverview(SHOP)).metrics).toMatchObject({
    customers: { value: 4, before: 0 },
    signUps: { value: 3 },
  });
});

test("dead letters and a failed sync are this store's own; a store that is not connected has none", async () => {
  await app.database.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, status, dead_lettered_at)
      VALUES ($1, 'e', 'cms', 'manual', 't', 'customer', '1', 'dead_letter', now())`,
    [OTHER],
  );
  await app.database.query("INSERT INTO kv (shop, key, value) VALUES ($1, 'sync:customers', $2)", [
    OTHER,
    JSON.stringify({ watermark: null, error: "no answer" }),
  ]);
  const nothing = { syncError: null, deadLetters: 0, urgentRequests: 0, refusedTopics: [] };
  expect(await healthOf(SHOP)).toMatchObject(nothing);
  expect(await healthOf(OTHER)).toMatchObject({
    syncError: "no answer",
    deadLetters: 1,
  });
  expect(await healthOf("unknown.myshopify.com")).toMatchObject(nothing);
  expect(await readStoreOverview(app.ctx, null)).toEqual({
    state: "not_connected",
  });
});

test("only the store whose merchant refuses every agent is shown as refusing, until the merchant allows them again", async () => {
  const switchAccess = async (isOn: boolean) =>
    setAgentAccess(app.ctx, await getTenant(app.ctx, SHOP), { name: "access", is_on: isOn });
  await switchAccess(false);
  expect(await healthOf(SHOP)).toMatchObject({ areAgentsBlocked: true });
  for (const shop of [OTHER, "unknown.myshopify.com"])
    expect(await healthOf(shop)).toMatchObject({ areAgentsBlocked: false });
  await switchAccess(true);
  expect(await healthOf(SHOP)).toMatchObject({ areAgentsBlocked: false });
});

test("dead letters beyond 1,000 are counted as more", async () => {
  await app.database.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, status, dead_lettered_at)
      SELECT $1, 'e' || n, 'cms', 'manual', 't', 'customer', '1', 'dead_letter', now()
      FROM generate_series(1, 1100) AS n`,
    [SHOP],
  );
  expect(await healthOf(SHOP)).toMatchObject({ deadLetters: 1_001 });
});

test("tags are listed by category and name with their holders, searched by prefix of name or slug, never another store's", async () => {
  await putPerson(app.database, SHOP, { email: "a@x.example", tags: ["gala", "opening"] });
  await putPerson(app.database, SHOP, { email: "b@x.example", tags: ["gala"] });
  await putPerson(app.database, OTHER, { email: "c@x.example", tags: ["gala", "theirs"] });
  await app.database.query(
    "INSERT INTO crm_tags (shop, name, slug, category) VALUES ($1, 'VIP', 'vip', 'tier')",
    [SHOP],
  );
  const tenant = await getTenant(app.ctx, SHOP);
  const usage = async (query: object) =>
    (await readTagUsage(app.ctx, tenant, query)).tags.map(({ slug, people, isDefault }) => [
      slug,
      people,
      isDefault,
    ]);
  expect(await usage({})).toEqual([
    ["vip", 0, true],
    ["gala", 2, false],
    ["opening", 1, false],
  ]);
  expect(await usage({ category: "tier" })).toEqual([["vip", 0, true]]);
  expect(await usage({ q: "GA" })).toEqual([["gala", 2, false]]);
  expect(await readTagUsage(app.ctx, tenant, { q: "%" })).toEqual({
    tags: [],
    hasMore: false,
    isEmpty: false,
  });
});

test("tags are found and sorted without regard to case and accents", async () => {
  await app.database.query(
    `INSERT INTO crm_tags (shop, name, slug, category)
      SELECT $1, name, slug, 'campaign' FROM (VALUES ('Été', 't1'), ('zèbre', 't2'), ('Eva', 't3'),
        ('Ａｂｏ', 't4'), ('étoile', 't5')) AS tag (name, slug)`,
    [SHOP],
  );
  const tenant = await getTenant(app.ctx, SHOP);
  const names = async (query: object) =>
    (await readTagUsage(app.ctx, tenant, query)).tags.map(({ name }) => name);
  expect(await names({})).toEqual(["Ａｂｏ", "Été", "étoile", "Eva", "zèbre"]);
  for (const q of ["Été", "ETE", "ete", "e\u0301te\u0301"])
    expect(await names({ q })).toEqual(["Été"]);
  expect(await names({ q: "abo" })).toEqual(["Ａｂｏ"]);
});

test("a tag's holders are counted one by one up to 10,000, and as more beyond; a rule's count leaves out tags by hand", async () => {
  await app.database.query(
    `WITH people AS (
       INSERT INTO storefront_users (shop, email)
       SELECT $1, 'many' || n || '@x.example' FROM generate_series(1, 10050) AS n RETURNING id
     ), tags AS (
       INSERT INTO crm_tags (shop, name, slug, category)
       VALUES ($1, 'Many', 'many', 'campaign'), ($1, 'Inactive', 'inactive', 'status'),
         ($1, 'VIP', 'vip', 'tier') RETURNING id, slug
     )
     INSERT INTO user_tag_map (shop, user_id, tag_id, source)
     SELECT $1, people.id, tags.id, CASE slug WHEN 'inactive' THEN 'system' ELSE 'admin' END
     FROM people, tags`,
    [SHOP],
  );
  const tenant = await getTenant(app.ctx, SHOP);
  const { tags } = await readTagUsage(app.ctx, tenant, { q: "many" });
  expect(tags.map(({ people }) => people)).toEqual([10_001]);
  expect(await countThresholdTags(app.ctx, tenant)).toEqual({ inactive: 10_001, vip: 0 });
});
