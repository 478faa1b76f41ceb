// What a sync reads of our own write to a customer at the store: the row follows, and no system hears of it again.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CustomerChange } from "../../../app/domain/customers/customer-change.ts";
import { applyStorefrontPage } from "../../../app/domain/customers/sync/apply-page.ts";
import { dataOf, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { installStore } from "../../support/storefront/synced-store.ts";
import { addToCatalog } from "../../support/storefront/tag-catalog.ts";

const GID = "gid://shopify/Customer/7";
const SILENT_SINCE = "2026-01-02T03:04:05.000Z";
const OUR_WRITE: Partial<CustomerChange> = {
  tags: ["accepts_club"],
  email_subscription_status: "subscribed",
};

let service: Service;
let tenant: Tenant;
let userId: number;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  tenant = await installStore(service);
  await addToCatalog(service, ["Email Subscribed", "VIP"]);
  const [user] = await service.database.query<{ id: number }>(
    `INSERT INTO storefront_users (shop, provider, email, email_verified, storefront_customer_gid,
      storefront_updated_at, last_active_at) VALUES ($1, 'storefront', 'ada@example.com', true, $2, $3, $3)
      RETURNING id`,
    [SHOP, GID, SILENT_SINCE],
  );
  userId = user?.id as number;
  await service.database.query("INSERT INTO kv (shop, key, value) VALUES ($1, $2, 'true')", [
    SHOP,
    `echo:${userId}`,
  ]);
});

const read = (change: Partial<CustomerChange>) =>
  dataOf(service.ctx, tenant).transaction((sql) =>
    applyStorefrontPage(service.ctx, tenant, sql, [
      { gid: GID, changedAt: new Date(Date.now() - 60_000), ...change },
    ]),
  );
const stored = async () => {
  const [row] = await service.database.query(
    "SELECT tags, country, email_subscription_status, last_active_at FROM storefront_users WHERE id = $1",
    [userId],
  );
  return row;
};
const events = async (): Promise<Record<string, string[]>> => {
  const rows = await service.database.query<{ type: string; channels: string[] }>(
    `SELECT event_type AS type, array_agg(channel ORDER BY channel) AS channels
      FROM integration_queue GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ type, channels }) => [type, channels]));
};

describe("a sync that reads our own write", () => {
  it("stores it, takes it for no activity, and enqueues nothing but the tag that a rule sets for it", async () => {
    expect(await read(OUR_WRITE)).toMatchObject({ updated: 1 });
    expect(await stored()).toMatchObject({
      tags: ["accepts_club", "email_subscribed"],
      email_subscription_status: "subscribed",
      last_active_at: new Date(SILENT_SINCE),
    });
    expect(await events()).toEqual({
      "customer.tags_changed": ["cms", "profile_platform", "storefront", "web_analytics"],
    });
  });

  it.each<[what: string, change: Partial<CustomerChange>]>([
    ["another field", { ...OUR_WRITE, country: "FR" }],
    ["a tag of the catalog", { tags: ["accepts_club", "VIP"] }],
    ["a tag of the merchant's own", { tags: ["accepts_club", "Wholesale"] }],
  ])("takes a change of %s beside it for news, which the systems get", async (_, change) => {
    await read(change);
    expect((await events())["customer.updated"]).toEqual([
      "cms",
      "profile_platform",
      "web_analytics",
    ]);
    expect((await stored()).last_active_at).not.toEqual(new Date(SILENT_SINCE));
  });

  it("takes it for news once our write is long ago", async () => {
    await service.database.query("DELETE FROM kv WHERE key LIKE 'echo:%'");
    await read(OUR_WRITE);
    expect(Object.keys(await events())).toContain("customer.updated");
  });
});

it("a tag that was removed here does not come back as the merchant's before the store has removed it", async () => {
  await service.database.query(
    `UPDATE storefront_users SET storefront_slugs = '["vip"]' WHERE id = $1`,
    [userId],
  );
  await read({ tags: ["VIP"], country: "FR" });
  expect(await stored()).toMatchObject({ tags: [], country: "FR" });
  expect(await service.database.query("SELECT 1 FROM user_tag_map")).toEqual([]);
});

it("a tag that the catalog has only now is assigned to who carried it before, and the systems get it", async () => {
  await service.database.query(`UPDATE storefront_users SET tags = '["VIP"]' WHERE id = $1`, [
    userId,
  ]);
  await read({ tags: ["VIP"] });
  expect(await service.database.query("SELECT source FROM user_tag_map")).toEqual([
    { source: "storefront" },
  ]);
  expect(Object.keys(await events())).toContain("customer.updated");
});

it("a list of the same second as what a webhook brought is read, and one of the second before is not", async () => {
  const second = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;
  await service.database.query(
    "UPDATE storefront_users SET storefront_updated_at = $2 WHERE id = $1",
    [userId, new Date(second + 400)],
  );
  await read({ country: "BE", changedAt: new Date(second - 1_000) });
  expect((await stored()).country).toBeNull();
  await read({ country: "FR", changedAt: new Date(second) });
  expect((await stored()).country).toBe("FR");
});
