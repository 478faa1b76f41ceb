// The platform delivers late, more than once and in any order: the store still ends in the right state.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { forgetStorefrontCustomer } from "../../../app/domain/customers/deleted-customers.ts";
import { applyStorefrontChange } from "../../../app/domain/customers/from-storefront.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { inboxIsWorked, install } from "../../support/storefront/storefront.ts";

let service: Service;
let shop: Service["sandbox"]["storefront"];

beforeAll(async () => {
  service = await startService({ background: true });
  shop = service.sandbox.storefront;
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  shop.ensureShop(SHOP);
  for (const { gid } of shop.customers(SHOP)) shop.deleteCustomer(SHOP, gid);
  await service.addTenant(SHOP);
  await install(service);
});

const people = () =>
  service.database.query(
    `SELECT storefront_customer_gid AS gid, email, first_name, tags, number_of_orders AS orders,
      email_subscription_status AS subscription FROM storefront_users WHERE status <> 'deleted' ORDER BY id`,
  );
const unkindly = { order: "backwards", copies: 2 } as const;

/** A customer's life: created, changed in every way, its webhooks kept back. */
async function live(apiVersion: "2026-07" | "2024-10"): Promise<string> {
  shop.holdWebhooks(SHOP);
  const options = { apiVersion };
  const { customer } = await shop.createCustomer(
    SHOP,
    { firstName: "Ada", email: "ada@shopper.example", tags: ["new"] },
    options,
  );
  const change = (patch: Parameters<typeof shop.changeCustomer>[2]) =>
    shop.changeCustomer(SHOP, customer.gid, patch, options);
  await change({ firstName: "Augusta", tags: ["new", "vip"] });
  await change({ numberOfOrders: "3", amountSpent: "90.00" });
  await change({ emailMarketingState: "SUBSCRIBED" });
  await change({ tags: ["vip"], email: "augusta@shopper.example" });
  await change({ firstName: "Ada Augusta", emailMarketingState: "UNSUBSCRIBED" });
  return customer.gid;
}

describe.each(["2026-07", "2024-10"] as const)("webhooks of %s", (apiVersion) => {
  test("late, twice and backwards end in the newest state, and as one customer", async () => {
    const gid = await live(apiVersion);
    const deliveries = await shop.releaseWebhooks(SHOP, unkindly);
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set([200]));
    expect(deliveries.length).toBeGreaterThan(20);
    await inboxIsWorked(service);
    expect(await people()).toEqual([
      {
        gid,
        email: "augusta@shopper.example",
        first_name: "Ada Augusta",
        tags: ["vip"],
        orders: 3,
        subscription: "unsubscribed",
      },
    ]);
    const [{ rows } = { rows: 0 }] = await service.database.query<{ rows: number }>(
      "SELECT count(*)::int AS rows FROM webhook_inbox",
    );
    expect(rows).toBe(deliveries.length / 2);
  });

  test("of an earlier life do not bring a deleted customer back", async () => {
    const gid = await live(apiVersion);
    shop.deleteCustomer(SHOP, gid);
    await shop.sendWebhook(SHOP, "customers/delete", gid);
    await shop.releaseWebhooks(SHOP, unkindly);
    await inboxIsWorked(service);
    expect(await people()).toEqual([]);
  });
});

test("a deletion and a change at the same moment never leave an account behind", async () => {
  const tenant = await getTenant(service.ctx, SHOP);
  const changeOf = (gid: string) => ({
    gid,
    changedAt: new Date(),
    email: `${gid.split("/").at(-1)}@shopper.example`,
    first_name: "Late",
  });
  const gids = Array.from({ length: 60 }, (_, index) => `gid://shopify/Customer/${900 + index}`);
  await Promise.all(
    gids.flatMap((gid, index) => {
      const change = () =>
        applyStorefrontChange(service.ctx, tenant, changeOf(gid), {
          eventId: crypto.randomUUID(),
          eventType: "customer.updated",
        });
      const forget = () => forgetStorefrontCustomer(service.ctx, tenant, gid);
      return index % 2 === 0 ? [change(), forget()] : [forget(), change()];
    }),
  );
  expect(await people()).toEqual([]);
});

test("the payloads alone decide while the storefront cannot be asked, by the time of each", async () => {
  await live("2024-10");
  service.sandbox.failNext("storefront", { status: 422, match: "graphql" }, Infinity);
  await shop.releaseWebhooks(SHOP, unkindly);
  await inboxIsWorked(service);
  service.sandbox.clearFaults();
  expect(await people()).toMatchObject([
    { email: "augusta@shopper.example", first_name: "Ada Augusta", tags: ["vip"], orders: 3 },
  ]);
});

test("without a trigger time an older updated_at does not overwrite a newer one", async () => {
  const { gid } = shop.putCustomer(SHOP, { email: "ada@shopper.example", firstName: "Newer" });
  const raw = (firstName: string, updatedAt: string) =>
    JSON.stringify({
      admin_graphql_api_id: gid,
      email: "ada@shopper.example",
      first_name: firstName,
      updated_at: updatedAt,
      tags: "",
      orders_count: 0,
      total_spent: "0.00",
      email_marketing_consent: { state: "subscribed" },
    });
  for (const [firstName, updatedAt] of [
    ["Newer", "2026-11-22T10:00:05Z"],
    ["Older", "2026-11-22T10:00:04Z"],
  ] as const) {
    const answer = await service.webhook("customer-update", raw(firstName, updatedAt));
    expect(answer.status).toBe(200);
    await inboxIsWorked(service);
  }
  expect(await people()).toMatchObject([{ first_name: "Newer" }]);
});

test("a trigger time far in the future does not make later changes old", async () => {
  const { gid } = shop.putCustomer(SHOP, { email: "ada@shopper.example", firstName: "Ada" });
  const raw = JSON.stringify({
    admin_graphql_api_id: gid,
    email: "ada@shopper.example",
    first_name: "Ada",
    tags: "",
    orders_count: 0,
    total_spent: "0.00",
    email_marketing_consent: { state: "subscribed" },
  });
  const answer = await service.webhook("customer-update", raw, {
    headers: { "X-Shopify-Triggered-At": "2099-01-01T00:00:00Z" },
  });
  expect(answer.status).toBe(200);
  await inboxIsWorked(service);
  const [row] = await service.database.query(
    "SELECT storefront_updated_at < now() + interval '11 minutes' AS is_near FROM storefront_users",
  );
  expect(row).toEqual({ is_near: true });
});

test("an uninstall of the manifest and of the API, twice each, is one event; a late one ends no new install", async () => {
  shop.subscribe(SHOP, "app/uninstalled", `${service.url}/webhooks/app-uninstalled`);
  shop.holdWebhooks(SHOP);
  await shop.sendWebhook(SHOP, "app/uninstalled");
  await install(service);
  const deliveries = await shop.releaseWebhooks(SHOP, unkindly);
  expect(deliveries.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await inboxIsWorked(service);
  expect(
    await service.database.query("SELECT 1 FROM webhook_inbox WHERE topic = 'app/uninstalled'"),
  ).toHaveLength(1);
  expect((await getTenant(service.ctx, SHOP)).connection.token_state).toBe("valid");
});
