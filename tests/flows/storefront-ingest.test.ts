// Storefront webhooks sent to the event bus: the same effect on the customer as at the webhook
// paths, plus an event.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ingestWebhook } from "../support/bus/events.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";
import { inboxIsWorked } from "../support/storefront/storefront.ts";

let service: Service;
let n = 0;
beforeAll(async () => {
  service = await startService({ background: true });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, {
    erp_base_url: service.sandbox.addresses.erpBaseUrl,
    erp_username: "erp",
    erp_password: "erp-password-0123456789",
    erp_defaults: { bukrs: "1000", vkorg: "1000", vtweg: "10" },
  });
  await service.addTenant(OTHER_SHOP);
});

const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);
const calls = () =>
  (["cms", "analytics", "profilePlatform"] as const).reduce(
    (sum, system) => sum + service.sandbox.requests(system).length,
    0,
  );
const customer = (fields: Record<string, unknown> = {}) => {
  n += 1;
  return {
    id: 7_000_000 + n,
    admin_graphql_api_id: `gid://shopify/Customer/${7_000_000 + n}`,
    email: `person-${n}@example.com`,
    first_name: "Ann",
    last_name: "Doe",
    tags: "vip",
    orders_count: 2,
    total_spent: "10.00",
    updated_at: "2026-11-21T10:00:00Z",
    email_marketing_consent: { state: "subscribed" },
    sms_marketing_consent: null,
    ...fields,
  };
};
const settled = (eventId: string) =>
  eventually("the rows to settle", async () => {
    const rows = await query(
      "SELECT channel, status, last_error, payload FROM integration_queue WHERE event_id = $1 ORDER BY channel",
      [eventId],
    );
    return rows.length > 0 && rows.every(({ status }) => status === "delivered") && rows;
  });

test("a customer's update is stored as an event with its rows, changes the customer, and reaches every channel once", async () => {
  const { status, json } = await ingestWebhook(service, "customers/update", customer());
  expect({ status, json }).toEqual({
    status: 202,
    json: {
      ok: true,
      event_id: expect.any(String),
      queued: 3,
      destinations: ["cms", "web_analytics", "profile_platform"],
    },
  });
  const rows = await settled(json.event_id);
  expect(rows.map(({ channel }) => channel)).toEqual(["cms", "profile_platform", "web_analytics"]);
  // A reference, never a copy of the person.
  expect(JSON.stringify(rows.map(({ payload }) => payload))).not.toContain(`person-${n}`);
  expect(await query("SELECT email, tags FROM storefront_users")).toEqual([
    { email: `person-${n}@example.com`, tags: ["vip"] },
  ]);
  expect(
    await query(
      "SELECT source, event_type, entity_type, entity_id FROM event_ledger WHERE event_id = $1",
      [json.event_id],
    ),
  ).toEqual([
    {
      source: "storefront",
      event_type: "customer.updated",
      entity_type: "customer",
      entity_id: `gid://shopify/Customer/${7_000_000 + n}`,
    },
  ]);
  expect(
    await query(
      `SELECT 1 FROM integration_queue WHERE event_id <> $1
        AND channel IN ('cms', 'web_analytics', 'profile_platform')`,
      [json.event_id],
    ),
  ).toEqual([]);
});

test("an outdated update changes nothing and calls no system, and its rows say so", async () => {
  const known = customer();
  await settled((await ingestWebhook(service, "customers/update", known)).json.event_id);
  const before = calls();
  const { json } = await ingestWebhook(
    service,
    "customers/update",
    { ...known, first_name: "Old" },
    { headers: { "X-Storefront-Triggered-At": "2026-11-20T10:00:00Z" } },
  );
  const rows = await settled(json.event_id);
  expect(rows.map(({ last_error }) => last_error)).toEqual(
    Array(3).fill(expect.stringContaining("nothing to deliver")),
  );
  expect(await query("SELECT first_name FROM storefront_users")).toEqual([{ first_name: "Ann" }]);
  expect(calls()).toBe(before);
});

test("the same delivery at the webhook path and at the bus has one effect", async () => {
  const payload = customer();
  const id = randomUUID();
  await service.webhook("customer-update", JSON.stringify(payload), {
    headers: { "X-Storefront-Webhook-Id": id },
  });
  const { status, json } = await ingestWebhook(service, "customers/update", payload, {
    headers: { "X-Storefront-Webhook-Id": id },
  });
  expect({ status, deduplicated: json.deduplicated }).toEqual({ status: 200, deduplicated: true });
  await eventually(
    "the work to end, before the next test begins",
    async () => (await query("SELECT 1 FROM webhook_inbox WHERE status = 'done'")).length === 1,
  );
  expect(await query("SELECT 1 FROM webhook_inbox")).toHaveLength(1);
});

test.each(["the bus", "the old address"])("an order from %s goes once to the ERP", async (way) => {
  const order = {
    id: 1,
    admin_graphql_api_id: `gid://shopify/Order/${(n += 1)}`,
    name: "#1001",
    currency: "EUR",
    total_price: "12.50",
    updated_at: "2026-11-21T10:00:00Z",
    line_items: [{ sku: "SKU-1", quantity: 1, price: "12.50" }],
  };
  const before = service.sandbox.erp.documents().length;
  if (way === "the bus")
    expect((await ingestWebhook(service, "orders/create", order)).json.destinations).toEqual([
      "erpsys",
      "web_analytics",
    ]);
  else expect((await service.webhook("orders-create", JSON.stringify(order))).status).toBe(200);
  await inboxIsWorked(service);
  await eventually("the document", () => service.sandbox.erp.documents().length === before + 1);
  expect(
    await query("SELECT event_type FROM event_ledger WHERE entity_id = $1", [
      order.admin_graphql_api_id,
    ]),
  ).toEqual([{ event_type: "order.created" }]);
});

test("the bus takes an uninstall as the webhook path does", async () => {
  await service.call("POST", `/config?shop=${SHOP}`, {
    body: { storefront_admin_token: "shpat_0123456789abcdef" },
  });
  expect(
    (await ingestWebhook(service, "app/uninstalled", { id: 1, myshopify_domain: SHOP })).json,
  ).toMatchObject({ ok: true, queued: 0, destinations: [] });
  await eventually(
    "the token to be gone",
    async () =>
      (
        await query("SELECT 1 FROM kv WHERE key = $1 AND value ? 'storefront_admin_token'", [
          `tenant:${SHOP}`,
        ])
      ).length === 0,
  );
});

describe("is rejected:", () => {
  test("a webhook that names no customer", async () => {
    const { status, json } = await ingestWebhook(service, "customers/update", {
      email: "nobody@example.com",
      first_name: "No",
    });
    expect({ status, code: json.code, fields: Object.keys(json.fields ?? {}) }).toEqual({
      status: 400,
      code: "invalid_request",
      fields: ["entity_id"],
    });
    expect(await query("SELECT 1 FROM event_ledger UNION ALL SELECT 1 FROM webhook_inbox")).toEqual(
      [],
    );
  });

  test("a body of another store than the header", async () => {
    const { status, json } = await ingestWebhook(service, "customers/update", {
      ...customer(),
      shop_domain: OTHER_SHOP,
    });
    expect({ status, error: json.error, method: json.method }).toEqual({
      status: 401,
      error: "Unauthorized",
      method: "hmac",
    });
  });
  test("an invalid signature, and nothing is stored", async () => {
    expect(
      (
        await ingestWebhook(service, "customers/update", customer(), {
          secret: "another-secret-0123456789",
        })
      ).json.method,
    ).toBe("hmac");
    expect(await query("SELECT 1 FROM webhook_inbox")).toEqual([]);
  });
  test("a privacy request, which has its own path", async () => {
    const { status, json } = await ingestWebhook(service, "customers/redact", {
      shop_domain: SHOP,
    });
    expect({ status, message: json.message }).toEqual({
      status: 400,
      message: expect.stringContaining("/gdpr/customer-redact"),
    });
  });
});
