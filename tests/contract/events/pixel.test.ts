// Events of the web pixel at POST /events/ingest: what is taken, and what never is.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { pixelKey } from "../../../app/domain/tenants/storefront/web-pixel/web-pixel-key.ts";
import { rotatePixelKey } from "../../../app/domain/tenants/storefront/web-pixel/web-pixel.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  OTHER_SHOP,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});

const keyOf = async (shop: string) => pixelKey(service.ctx, await getTenant(service.ctx, shop));
const completed = (payload: object = {}, fields: object = {}) => ({
  event_type: "checkout.completed",
  timestamp: new Date().toISOString(),
  payload: {
    id: `sh-${randomUUID()}`,
    consent: { analytics: true },
    path: "/checkouts/cn/-/thank-you",
    order_id: "9007199254740993",
    currency: "EUR",
    total: 28.5,
    items: [{ product_id: "gid://shopify/Product/1", variant_id: "11", quantity: 2, price: 14.25 }],
    ...payload,
  },
  ...fields,
});
type Options = { shop?: string; key?: string; origin?: string | null; type?: string };
const send = async (body: unknown, options: Options = {}): Promise<Answer> => {
  const { shop = SHOP, origin = "null", type = "text/plain;charset=UTF-8" } = options;
  const key = options.key ?? (await keyOf(shop));
  return service.call(
    "POST",
    `/events/ingest?source=storefront_pixel&shop=${shop}&key=${encodeURIComponent(key)}`,
    {
      body: typeof body === "string" ? body : JSON.stringify(body),
      key: null,
      headers: { "Content-Type": type, ...(origin !== null && { Origin: origin }) },
    },
  );
};
const stored = () =>
  service.database.query(
    `SELECT l.shop, l.source, l.event_type, l.entity_type, l.entity_id, q.channel, q.payload
      FROM event_ledger l LEFT JOIN integration_queue q USING (shop, event_id)`,
  );

test("an event is stored once for web analytics alone, however often the platform's id arrives", async () => {
  const body = completed();
  const { status, json } = await send(body);
  expect({ status, json }).toMatchObject({
    status: 202,
    json: { ok: true, queued: 1, destinations: ["web_analytics"] },
  });
  const again = await send({ ...body, timestamp: new Date(Date.now() + 5).toISOString() });
  expect([again.status, again.json]).toEqual([
    200,
    { ok: true, deduplicated: true, event_id: json.event_id },
  ]);
  expect(await stored()).toEqual([
    {
      shop: SHOP,
      source: "storefront_pixel",
      event_type: "checkout.completed",
      entity_type: "order",
      entity_id: "gid://shopify/Order/9007199254740993",
      channel: "web_analytics",
      payload: body.payload,
    },
  ]);
});

test("a store's own routes and a store without analytics send the event nowhere else", async () => {
  for (const fields of [
    { event_routes: [{ event_type: "*", channels: ["cms", "erpsys"] }] },
    { enabled_channels: ["cms"] },
  ]) {
    await service.addTenant(SHOP, fields);
    expect((await send(completed())).status).toBe(202);
  }
  expect((await stored()).map(({ channel }) => channel)).toEqual(["web_analytics", null]);
});

test("a device's wrong clock does not set the event's time", async () => {
  await send(completed({}, { timestamp: "2031-01-01T00:00:00Z" }));
  const [row] = await service.database.query(
    "SELECT abs(extract(epoch FROM received_at - occurred_at)) < 60 AS is_now FROM event_ledger",
  );
  expect(row).toEqual({ is_now: true });
});

describe("the sender", () => {
  test.each<[string, () => Promise<Options> | Options]>([
    ["no key", () => ({ key: "" })],
    ["a wrong key", () => ({ key: "f".repeat(40) })],
    ["another store's key", async () => ({ key: await keyOf(OTHER_SHOP) })],
    [
      "a store that is not registered",
      async () => ({ shop: "nobody.myshopify.com", key: await keyOf(SHOP) }),
    ],
  ])("is refused with %s", async (_, options) => {
    const { status, json } = await send(completed(), await options());
    expect([status, json.error, json.method]).toEqual([401, "Unauthorized", "pixel_key"]);
    expect(await stored()).toEqual([]);
  });

  test("is a page of the store, its checkout, its accounts, or a sandboxed frame", async () => {
    const primary = service.sandbox.storefront.primaryHost(SHOP);
    for (const origin of [
      "null",
      `https://${SHOP}`,
      `https://${primary}`,
      `https://account.${primary.replace(/^www\./, "")}`,
      `https://accounts.${primary.replace(/^www\./, "")}`,
      `https://${SHOP.replace(".myshopify.com", ".account.myshopify.com")}`,
      "https://checkout.shopify.com",
    ])
      expect([origin, (await send(completed(), { origin })).status]).toEqual([origin, 202]);
    for (const origin of [
      "https://elsewhere.example",
      `https://${OTHER_SHOP}`,
      `https://${OTHER_SHOP.replace(".myshopify.com", ".account.myshopify.com")}`,
      null,
    ])
      expect([origin, (await send(completed(), { origin })).json.code]).toEqual([
        origin,
        "origin_not_allowed",
      ]);
    expect(await stored()).toHaveLength(7);
  });

  test("gets no credentials and no answer to read from an opaque origin", async () => {
    const { headers } = await send(completed());
    expect(headers.get("access-control-allow-origin")).toBeNull();
    const { headers: own } = await send(completed(), { origin: `https://${SHOP}` });
    expect(own.get("access-control-allow-origin")).toBe(`https://${SHOP}`);
  });

  test("needs the new key once the store's key is rotated", async () => {
    const old = await keyOf(SHOP);
    await rotatePixelKey(service.ctx, SHOP);
    expect((await send(completed(), { key: old })).status).toBe(401);
    expect((await send(completed())).status).toBe(202);
  });

  test("is no source that an admin key may name, and a shared store has no pixel", async () => {
    const { status } = await service.call("POST", `/events/ingest?shop=${SHOP}`, {
      body: { ...completed(), source: "storefront_pixel", entity_id: "x-1", entity_type: "order" },
    });
    expect(status).toBe(202);
    expect((await stored())[0]).toMatchObject({ source: "manual" });
    await service.addTenant(OTHER_SHOP, { access_role: "shared" });
    expect((await send(completed(), { shop: OTHER_SHOP })).status).toBe(403);
  });
});

describe("a message is refused in the contract's shape, and nothing of it is stored, when it", () => {
  const deep = `{"event_type":"checkout.completed","payload":${"[".repeat(2_000)}${"]".repeat(2_000)}}`;
  test.each<[string, () => unknown, number]>([
    ["has no consent", () => completed({ consent: undefined }), 400],
    ["has a refused consent", () => completed({ consent: { analytics: false } }), 400],
    ["claims the consent by a text", () => completed({ consent: { analytics: "true" } }), 400],
    ["names an email address", () => completed({ email: "ada@shopper.example" }), 400],
    ["names a customer beside the payload", () => completed({}, { customer_id: "1" }), 400],
    ["has a name in an item", () => completed({ items: [{ title: "For Ada" }] }), 400],
    ["has an address in the path", () => completed({ path: "/account/ada@shopper.example" }), 400],
    ["has a query in the path", () => completed({ path: "/account?token=1" }), 400],
    ["has a token in the path", () => completed({ path: "/checkouts/cn/hWN3xTq9" }), 400],
    ["names another destination", () => completed({}, { destinations: ["erpsys"] }), 400],
    ["is of an unknown kind", () => completed({}, { event_type: "customer.updated" }), 400],
    ["has an amount that is none", () => completed({ total: "NaN" }), 400],
    [
      "reaches for the prototype",
      () => '{"__proto__":{"a":1},"event_type":"checkout.completed"}',
      400,
    ],
    ["is a list", () => [completed()], 400],
    ["is no JSON", () => "{", 400],
    ["is nested deeply", () => deep, 400],
    ["is too large", () => completed({ id: "x".repeat(9_000) }), 413],
  ])("%s", async (_, body, expected) => {
    const { status, json } = await send(body());
    expect({ status, json }).toMatchObject({
      status: expected,
      json: {
        code: expect.any(String),
        message: expect.any(String),
        request_id: expect.any(String),
      },
    });
    expect(JSON.stringify(json)).not.toMatch(/ada@|For Ada|hWN3/);
    expect(await stored()).toEqual([]);
  });

  test("comes as a form", async () => {
    const { status } = await send(completed(), { type: "application/x-www-form-urlencoded" });
    expect([status, await stored()]).toEqual([415, []]);
  });
});

test("a flood from one address ends in 429 for the pixel alone, and what is over the limit is not stored", async () => {
  const limited = await startService({ env: { RATE_LIMIT_SCALE: "0.005" } });
  try {
    await limited.addTenant(SHOP);
    const key = pixelKey(limited.ctx, await getTenant(limited.ctx, SHOP));
    const statuses: number[] = [];
    for (let sent = 0; sent < 5; sent += 1) {
      const { status } = await limited.call(
        "POST",
        `/events/ingest?source=storefront_pixel&shop=${SHOP}&key=${key}`,
        {
          body: JSON.stringify(completed()),
          key: null,
          headers: { "Content-Type": "text/plain", Origin: "null" },
        },
      );
      statuses.push(status);
    }
    expect(statuses).toEqual([202, 202, 202, 429, 429]);
    expect(await limited.database.query("SELECT 1 FROM event_ledger")).toHaveLength(3);
    const other = await limited.call("POST", `/events/ingest?shop=${SHOP}`, {
      body: { event_type: "order.created", entity_id: "1", payload: {} },
    });
    expect(other.status).toBe(202);
  } finally {
    await limited.stop();
  }
});
