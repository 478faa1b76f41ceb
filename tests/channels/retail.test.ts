// Retail measurement partners: whose data they receive, and in which format.
import { hash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { enqueue } from "../../app/domain/bus/enqueue.ts";
import { neutralise, toCsv } from "../../app/domain/channels/retail/csv.ts";
import type { RetailRecord } from "../../app/domain/channels/retail/records.ts";
import { startChannelApp, storeFields, type ChannelApp } from "../support/bus/channels.ts";
import { addCustomer } from "../support/bus/queue.ts";
import { OTHER_SHOP, SHOP } from "../support/service.ts";

const GID = "gid://shopify/Customer/706405506930370084";
const CHANNELS = ["retail_analytics_a", "retail_analytics_b"] as const;
const ORDER = {
  admin_graphql_api_id: "gid://shopify/Order/820982911946154508",
  name: "#1001",
  currency: "EUR",
  email: "ann@example.com",
  note: "call +49 30 123",
  customer: { admin_graphql_api_id: GID, email: "ann@example.com", first_name: "Ann" },
  shipping_address: { name: "Ann Example", phone: "+49 30 123" },
  line_items: [
    { sku: "CAM-9", quantity: 3, price: "0.10", title: "Camera" },
    { sku: "LENS", quantity: 1, price: "1234567890123456.78" },
    { title: "Gift wrap", quantity: 1, price: "2.00" },
  ],
};
let app: ChannelApp;
let userId: number;
beforeAll(async () => {
  app = await startChannelApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.reset();
  userId = await addCustomer(app.service.database, SHOP, { email: "ann@example.com" });
  await query("UPDATE storefront_users SET storefront_customer_gid = $1 WHERE id = $2", [
    GID,
    userId,
  ]);
  for (const [sku, upc] of [
    ["CAM-9", "012345678905"],
    ["LENS", "4006381333931"],
  ])
    await query("INSERT INTO product_upc_mapping (shop, sku, upc) VALUES ($1, $2, $3)", [
      SHOP,
      sku,
      upc,
    ]);
});

const query = (text: string, values: unknown[] = []) => app.service.database.query(text, values);

async function deliver(
  channel: string,
  payload: Record<string, unknown> = ORDER,
  { entity = "order", shop = SHOP } = {},
) {
  const eventId = randomUUID();
  await enqueue(app.service.ctx.home.forTenant(shop).sql, {
    eventId,
    source: "storefront",
    eventType: `${entity}.created`,
    entityType: entity,
    entityId: entity === "order" ? ORDER.admin_graphql_api_id : GID,
    payload,
    occurredAt: new Date("2026-03-01T10:00:00Z"),
    destinations: [channel],
  });
  return { eventId, ...(await app.settled(eventId)) };
}
const refused = {
  status: "dead_letter",
  retry_count: 1,
  last_error: "consent_missing: analytics_partners",
};
const dropped = (eventId: string) =>
  app.service.sandbox.retailAnalyticsA.objects()[`/drops/${eventId}.csv`];

describe.each(CHANNELS)("%s", (channel) => {
  test("receives data after a grant, not before, not after a revocation, and again after the next grant", async () => {
    const before = app.calls(channel);
    expect(await deliver(channel)).toMatchObject(refused);
    await app.consentToRetail(userId);
    expect(await deliver(channel)).toMatchObject({ status: "delivered" });
    await app.consentToRetail(userId, "revoked");
    expect(await deliver(channel)).toMatchObject(refused);
    expect(app.calls(channel) - before).toBe(1);
    await app.consentToRetail(userId);
    expect(await deliver(channel)).toMatchObject({ status: "delivered" });
  });

  test("follows the server's order, whatever the client's clock says", async () => {
    await app.consentToRetail(userId);
    await app.consentToRetail(userId, "revoked");
    await query("ALTER TABLE consent_records DISABLE TRIGGER USER");
    await query(
      `UPDATE consent_records SET timestamp = CASE action WHEN 'granted' THEN '2099-01-01'
        ELSE '2001-01-01' END, created_at = now() + CASE action WHEN 'granted' THEN interval '1 day'
        ELSE interval '0' END`,
    );
    await query("ALTER TABLE consent_records ENABLE TRIGGER USER");
    expect(await deliver(channel)).toMatchObject(refused);
  });

  test("is not enabled by another store's grant, another person's, or another consent's", async () => {
    await app.service.addTenant(OTHER_SHOP, storeFields(app.service.sandbox));
    await app.consentToRetail(userId, "granted", OTHER_SHOP);
    await app.consentToRetail(
      await addCustomer(app.service.database, SHOP, { email: "bob@example.com" }),
    );
    await query(
      `INSERT INTO consent_records (shop, user_id, consent_type, action, method, consent_id, seq,
        prev_hash, hash) VALUES ($1, $2, 'marketing', 'granted', 'test', 'm', 99, '', '')`,
      [SHOP, userId],
    );
    expect(await deliver(channel)).toMatchObject(refused);
    expect(await deliver(channel, ORDER, { shop: OTHER_SHOP })).toMatchObject(refused);
  });

  test("receives nothing about an unknown person, or without a person", async () => {
    await app.consentToRetail(userId);
    expect(
      await deliver(channel, { ...ORDER, email: "who@example.com", customer: { id: "4" } }),
    ).toMatchObject(refused);
    expect(await deliver(channel, { sku: "CAM-9" }, { entity: "product" })).toMatchObject(refused);
  });

  test("a missing consent is no dead letter for the sweep", async () => {
    const { eventId } = await deliver(channel);
    expect(
      await query("SELECT is_sweepable FROM integration_queue WHERE event_id = $1", [eventId]),
    ).toEqual([{ is_sweepable: false }]);
  });

  test("a SKU without a UPC makes a dead letter that names it, without a call", async () => {
    await app.consentToRetail(userId);
    await query(
      "INSERT INTO product_upc_mapping (shop, sku, upc) VALUES ($1, 'NEW-1', '012345678905')",
      [OTHER_SHOP],
    );
    const before = app.calls(channel);
    const row = await deliver(channel, {
      ...ORDER,
      line_items: [
        ...ORDER.line_items,
        { sku: "NEW-1", quantity: 1 },
        { sku: "NEW-2", quantity: 1 },
      ],
    });
    expect(row).toMatchObject({
      status: "dead_letter",
      retry_count: 1,
      last_error: "no UPC for SKU NEW-1, NEW-2",
    });
    expect(app.calls(channel)).toBe(before);
  });

  test("an order without a product is skipped", async () => {
    await app.consentToRetail(userId);
    const before = app.calls(channel);
    expect(
      await deliver(channel, { ...ORDER, line_items: [{ title: "Gift card", quantity: 1 }] }),
    ).toMatchObject({ status: "delivered" });
    expect(app.calls(channel)).toBe(before);
  });
});

const EMAIL_HASH = hash("sha256", "ann@example.com");

test("the file has a header and a row per product, exact amounts, and of the person only the hash", async () => {
  await app.consentToRetail(userId);
  const { eventId } = await deliver("retail_analytics_a");
  const file = dropped(eventId);
  expect(file?.contentType).toBe("text/csv; charset=utf-8");
  expect(file?.body.split("\r\n")).toEqual([
    "event_id,event_type,occurred_at,email_sha256,order_id,line,upc,quantity,unit_price,amount,currency",
    `${eventId},order.created,2026-03-01T10:00:00.000Z,${EMAIL_HASH},#1001,1,012345678905,3,0.10,0.30,EUR`,
    `${eventId},order.created,2026-03-01T10:00:00.000Z,${EMAIL_HASH},#1001,2,4006381333931,1,1234567890123456.78,1234567890123456.78,EUR`,
    "",
  ]);
});

test("the JSON has the same data, with one idempotency key and the store's token", async () => {
  await app.consentToRetail(userId);
  const { eventId, transformed_payload: sent } = await deliver("retail_analytics_b");
  expect(sent).toEqual({
    event_id: eventId,
    event_type: "order.created",
    occurred_at: "2026-03-01T10:00:00.000Z",
    email_sha256: EMAIL_HASH,
    order_id: "#1001",
    currency: "EUR",
    items: [
      { upc: "012345678905", quantity: "3", unit_price: "0.10", amount: "0.30" },
      {
        upc: "4006381333931",
        quantity: "1",
        unit_price: "1234567890123456.78",
        amount: "1234567890123456.78",
      },
    ],
  });
  const request = app.service.sandbox.requests("retailAnalyticsB").at(-1);
  expect(request).toMatchObject({
    body: sent,
    headers: {
      authorization: "Bearer retail-secret-0123456789",
      "idempotency-key": `${eventId}:retail_analytics_b`,
    },
  });
  expect(JSON.stringify(sent)).not.toMatch(/ann|example\.com|\+49|Gift/i);
});

test("a customer is a row without a product", async () => {
  await app.consentToRetail(userId);
  const { eventId } = await deliver(
    "retail_analytics_a",
    { email: "ann@example.com" },
    { entity: "customer" },
  );
  expect(dropped(eventId)?.body.split("\r\n")[1]).toBe(
    `${eventId},customer.created,2026-03-01T10:00:00.000Z,${EMAIL_HASH},,,,,,,`,
  );
});

describe("a cell", () => {
  test.each([
    ["=1+1", "'=1+1"],
    ["+49", "'+49"],
    ["-cmd", "'-cmd"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\tx", "'\tx"],
    ["\rx", "'\rx"],
    ["+1.5", "'+1.5"],
    ["-5.10", "-5.10"],
    ["#1001", "#1001"],
    ["a=b", "a=b"],
  ])("%j is written %j", (cell, written) => {
    expect(neutralise(cell)).toBe(written);
  });

  test("keeps its commas, quotes and line breaks inside the cell", () => {
    const record: RetailRecord = {
      event_id: "e",
      event_type: "order.created",
      occurred_at: "t",
      email_sha256: "h",
      order_id: '=HYPERLINK("x"),1\r\n2',
      currency: null,
      items: [{ upc: "1", quantity: "1", unit_price: null, amount: null }],
    };
    expect(toCsv(record).slice(toCsv(record).indexOf("\r\n") + 2)).toBe(
      'e,order.created,t,h,"\'=HYPERLINK(""x""),1\r\n2",1,1,1,,,\r\n',
    );
  });
});
