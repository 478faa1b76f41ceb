// What the home page and the tags page read of a store: its own rows, of the last day only.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { recordConsent } from "../../app/domain/consent/record-consent.ts";
import { readStoreHealth, readStoreOverview } from "../../app/domain/merchant/store-overview.ts";
import { readTagUsage } from "../../app/domain/tags/tag-usage.ts";
import { registerTenant } from "../../app/domain/tenants/tenant-record.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { putPerson } from "../support/storefront/customers.ts";
import { startTestApp, type TestApp } from "../support/browser/screens-server.ts";

const [SHOP, OTHER] = ["overview.myshopify.com", "other.myshopify.com"];
let world: TestApp;

beforeAll(async () => {
  world = await startTestApp();
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.database.truncate();
  await Promise.all([SHOP, OTHER].map((shop) => registerTenant(world.ctx, shop)));
});

test("the numbers are of the last 24 hours, and a sign-up is a new account or a contact that signed up", async () => {
  const { query } = world.database;
  const now = new Date().toISOString();
  await putPerson(world.database, SHOP, { email: "new@x.example", last_login_at: now });
  const contact = await putPerson(world.database, SHOP, { email: "contact@x.example" });
  await query("UPDATE storefront_users SET created_at = now() - interval '9 days' WHERE id = $1", [
    contact,
  ]);
  const old = await putPerson(world.database, SHOP, {
    email: "old@x.example",
    last_login_at: now,
    gid: "gid://shopify/Customer/1",
    updated_at: "2026-01-01T00:00:00Z",
  });
  await query("UPDATE storefront_users SET created_at = '2026-01-01' WHERE id = $1", [old]);
  await putPerson(world.database, SHOP, {
    email: "synced@x.example",
    gid: "gid://shopify/Customer/2",
  });
  await putPerson(world.database, OTHER, {
    email: "foreign@x.example",
    gid: "gid://shopify/Customer/3",
    last_login_at: now,
  });
  await world.ctx.home.forTenant(SHOP).transaction((sql) =>
    recordConsent(sql, [
      { userId: contact, consentType: "tos", action: "granted", method: "signup", consentId: "1" },
      {
        userId: contact,
        consentType: "privacy",
        action: "granted",
        method: "signup",
        consentId: "1",
      },
      {
        userId: old,
        consentType: "marketing",
        action: "revoked",
        method: "banner",
        consentId: "2",
      },
    ]),
  );
  await query(
    `INSERT INTO channel_minutes (shop, channel, minute, delivered, failed, latency_ms_sum)
      VALUES ($1, 'cms', now(), 7, 1, 0), ($1, 'cms', now() - interval '25 hours', 90, 90, 0), ($2,
      'cms', now(), 500, 500, 0)`,
    [SHOP, OTHER],
  );
  const overview = await readStoreOverview(world.ctx, SHOP);
  expect(overview).toMatchObject({
    state: "known",
    day: { synced: 1, signUps: 2, granted: 2, withdrawn: 1, delivered: 7, failed: 1 },
  });
  const names =
    overview.state === "known"
      ? overview.happenings.map((one) => ("name" in one ? one.name : one.kind))
      : [];
  expect(names).toContain("old@x.example");
  expect(names).not.toContain("foreign@x.example");
});

test("dead letters and a failed sync are this store's own; a store that is not connected has none", async () => {
  await world.database.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, status, dead_lettered_at)
      VALUES ($1, 'e', 'cms', 'manual', 't', 'customer', '1', 'dead_letter', now())`,
    [OTHER],
  );
  await world.database.query(
    "INSERT INTO kv (shop, key, value) VALUES ($1, 'sync:customers', $2)",
    [OTHER, JSON.stringify({ watermark: null, error: "no answer" })],
  );
  expect(await readStoreHealth(world.ctx, SHOP)).toEqual({ syncError: null, deadLetters: 0 });
  expect(await readStoreHealth(world.ctx, OTHER)).toEqual({
    syncError: "no answer",
    deadLetters: 1,
  });
  expect(await readStoreHealth(world.ctx, "unknown.myshopify.com")).toEqual({
    syncError: null,
    deadLetters: 0,
  });
  expect(await readStoreOverview(world.ctx, "unknown.myshopify.com")).toMatchObject({
    state: "known",
    happenings: [],
  });
});

test("tags are listed by category and name with their holders, searched by prefix of name or slug, never another store's", async () => {
  await putPerson(world.database, SHOP, { email: "a@x.example", tags: ["gala", "opening"] });
  await putPerson(world.database, SHOP, { email: "b@x.example", tags: ["gala"] });
  await putPerson(world.database, OTHER, { email: "c@x.example", tags: ["gala", "theirs"] });
  await world.database.query(
    "INSERT INTO crm_tags (shop, name, slug, category) VALUES ($1, 'VIP', 'vip', 'tier')",
    [SHOP],
  );
  const tenant = await getTenant(world.ctx, SHOP);
  const usage = async (query: object) =>
    (await readTagUsage(world.ctx, tenant, query)).tags.map(({ slug, people, isDefault }) => [
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
  expect(await readTagUsage(world.ctx, tenant, { q: "%" })).toEqual({
    tags: [],
    hasMore: false,
    isEmpty: false,
  });
});
