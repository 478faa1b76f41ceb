// Tags that customers carry at the store before the catalog has them: compared in slices, each customer
// once, without a write to the store.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runChangedRules } from "../../../app/domain/customers/system-tags/rule-run.ts";
import { matchTags } from "../../../app/domain/customers/tag-matching/match-tags.ts";
import { startTagMatchWorker } from "../../../app/domain/customers/tag-matching/match-worker.ts";
import { createTags } from "../../../app/domain/tags/assignments.ts";
import { defineTag } from "../../../app/domain/tags/catalog.ts";
import { readTagUsage } from "../../../app/domain/tags/tag-usage.ts";
import { registerTenant } from "../../../app/domain/tenants/tenant-record.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { putPerson } from "../../support/storefront/customers.ts";
import { eventually } from "../../support/service.ts";

const [SHOP, OTHER] = ["matching.myshopify.com", "other.myshopify.com"];
let app: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.database.truncate();
  await Promise.all([SHOP, OTHER].map((shop) => registerTenant(app.ctx, shop)));
  tenant = await getTenant(app.ctx, SHOP);
});

const query = (sql: string, values: unknown[] = []) => app.database.query(sql, values);
const addToCatalog = (names: readonly string[], shop = SHOP) =>
  createTags(app.ctx.home.forTenant(shop).sql, names.map(defineTag));
const matchAll = () => matchTags(app.ctx, tenant, () => false);

/** Customers of a sync before the catalog existed. */
const putCarriers = (count: number, tags: readonly string[], shop = SHOP) =>
  query(
    `INSERT INTO storefront_users (shop, provider, storefront_customer_gid, tags)
      SELECT $1, 'storefront', 'gid://shopify/Customer/' || n, $3::jsonb FROM generate_series(1, $2::int) n`,
    [shop, count, JSON.stringify(tags)],
  );
const held = (shop = SHOP) =>
  query(
    `SELECT t.slug, m.source, count(*)::int AS people FROM user_tag_map m
      JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
     WHERE m.shop = $1 GROUP BY 1, 2 ORDER BY 1, 2`,
    [shop],
  );

test("every customer with a tag of the catalog gets it once, in any spelling, and no other store's", async () => {
  await putCarriers(5, ["VIP", "High Value", "Wholesale"]);
  await putCarriers(2, ["VIP"], OTHER);
  await addToCatalog(["VIP", "High Value", "Prospect"]);
  await addToCatalog(["VIP"], OTHER);
  expect(await matchAll()).toBe(true);
  expect(await matchAll()).toBe(true);
  expect(await held()).toEqual([
    { slug: "high_value", source: "storefront", people: 5 },
    { slug: "vip", source: "storefront", people: 5 },
  ]);
  expect(await held(OTHER)).toEqual([]);
  const usage = await readTagUsage(app.ctx, tenant, {});
  expect(usage.tags.map(({ slug, people }) => [slug, people])).toEqual([
    ["prospect", 0],
    ["vip", 5],
    ["high_value", 5],
  ]);
  expect(
    await query("SELECT DISTINCT tags, storefront_slugs FROM storefront_users WHERE shop = $1", [
      SHOP,
    ]),
  ).toEqual([
    {
      tags: ["VIP", "High Value", "Wholesale"],
      storefront_slugs: ["high_value", "vip"],
    },
  ]);
  expect(await query("SELECT 1 FROM integration_queue WHERE channel = 'storefront'")).toEqual([]);
});

test("a tag that a staff member assigned stays theirs, and a deleted customer gets none", async () => {
  const mine = await putPerson(app.database, SHOP, { full_name: "Ada", tags: ["vip"] });
  await putPerson(app.database, SHOP, { full_name: "Gone", status: "deleted" });
  await query(
    "UPDATE storefront_users SET tags = '[\"VIP\"]' WHERE shop = $1 AND status = 'deleted'",
    [SHOP],
  );
  await query("UPDATE crm_tags SET matched_to = 0 WHERE shop = $1", [SHOP]);
  await matchAll();
  expect(await query("SELECT user_id, source FROM user_tag_map WHERE shop = $1", [SHOP])).toEqual([
    { user_id: mine, source: "admin" },
  ]);
});

test("a comparison that was stopped goes on after its last slice", async () => {
  await putCarriers(2_500, ["vip"]);
  await addToCatalog(["VIP"]);
  let slices = 0;
  expect(await matchTags(app.ctx, tenant, () => (slices += 1) > 1)).toBe(false);
  expect(await held()).toEqual([{ slug: "vip", source: "storefront", people: 2_000 }]);
  const worker = await startTagMatchWorker(app.ctx, app.ctx.home);
  await eventually(
    "the rest",
    async () => (await query("SELECT 1 FROM crm_tags WHERE matched_to IS NOT NULL")).length === 0,
  );
  await worker.stop();
  expect(await held()).toEqual([{ slug: "vip", source: "storefront", people: 2_500 }]);
});

test("a tag created later is compared by the worker, and a form's dated tag is not", async () => {
  await putCarriers(3, ["Wholesale", "club_2026_11_23"]);
  const worker = await startTagMatchWorker(app.ctx, app.ctx.home);
  await addToCatalog(["Wholesale", "club_2026_11_23"]);
  await eventually("the new tag", async () => (await held()).length > 0);
  await worker.stop();
  expect(await held()).toEqual([{ slug: "wholesale", source: "storefront", people: 3 }]);
});

test("the rules come after: what the store gave before them stays the store's", async () => {
  await putCarriers(3, ["VIP"]);
  await addToCatalog(["VIP", "Prospect", "Active"]);
  expect(await runChangedRules(app.ctx, tenant)).toBeNull();
  await matchAll();
  expect(await runChangedRules(app.ctx, tenant)).toMatchObject({ total: 3 });
  expect(await held()).toEqual([{ slug: "vip", source: "storefront", people: 3 }]);
});
