// The log says of each webhook what became of it, and why nothing did.
import { afterAll, beforeAll, expect, test } from "vitest";
import { send, untilHandled } from "../../support/storefront/storefront.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  // A store that cannot be called.
  await service.addTenant(SHOP, { storefront_admin_token: null });
});
afterAll(() => service.stop());

const GID = "gid://shopify/Customer/4711";

async function loggedOutcome(slug: string, payload: unknown) {
  const id = await send(service, slug, JSON.stringify(payload));
  await untilHandled(service, id);
  const find = () =>
    service.logged.find(
      ({ event, delivery_id }) => event === "webhook.handled" && delivery_id === id,
    );
  await eventually("the log line", () => find() !== undefined);
  const { outcome, reason } = find() as { outcome: string; reason?: string };
  return reason === undefined ? outcome : `${outcome}: ${reason}`;
}

test.each([
  ["customer-update", { email: "ada@example.com" }, "unreadable_payload"],
  ["customers-delete", {}, "unreadable_payload"],
  ["customers-merge", {}, "unreadable_payload"],
  [
    "customers-merge",
    {
      admin_graphql_api_customer_kept_id: GID,
      admin_graphql_api_customer_deleted_id: "gid://shopify/Customer/4712",
      status: "failed",
    },
    "merge_failed",
  ],
  ["customer-tags-added", { customerId: GID, tags: ["VIP"] }, "unknown_customer"],
  ["customer-tags-added", { tags: ["x"] }, "unreadable_payload"],
  ["customers-purchasing-summary", { numberOfOrders: 1 }, "unreadable_payload"],
  ["customers-email-marketing-consent-update", { customer_id: 4711 }, "no_consent_state"],
  ["customers-email-marketing-consent-update", {}, "unreadable_payload"],
  ["orders-create", {}, "unreadable_payload"],
  ["shop-update", {}, "unreadable_payload"],
  ["app-scopes-update", {}, "unreadable_payload"],
  // The signature covers no topic: a customer's webhook, sent again, uninstalls nothing.
  ["app-uninstalled", { admin_graphql_api_id: GID }, "unreadable_payload"],
])("%s with %j is ignored, and the log says why: %s", async (slug, payload, reason) => {
  expect(await loggedOutcome(slug, payload)).toBe(`ignored: ${reason}`);
});

test("an order that was enqueued is logged as done, also without a customer who is known here", async () => {
  for (const customer of [null, { admin_graphql_api_id: GID }]) {
    const order = { admin_graphql_api_id: `gid://shopify/Order/${customer ? 1 : 2}`, customer };
    expect(await loggedOutcome("orders-create", order)).toBe("done");
  }
});
