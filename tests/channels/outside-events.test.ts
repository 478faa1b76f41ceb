// Rows of external events: they name a person by the storefront's id or an address, or concern no
// person.
import { hash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { QueueItem } from "../../app/domain/bus/channel.ts";
import { enqueue } from "../../app/domain/bus/enqueue.ts";
import { profilePlatformChannel } from "../../app/domain/channels/profile-platform.ts";
import { webAnalyticsChannel } from "../../app/domain/channels/web-analytics/web-analytics.ts";
import { toEventName } from "../../app/domain/channels/web-analytics/outside-events.ts";
import { findUserId } from "../../app/domain/channels/item-customer.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { startChannelApp, type ChannelApp } from "../support/bus/channels.ts";
import { addCustomer } from "../support/bus/queue.ts";
import { OTHER_SHOP, SHOP } from "../support/service.ts";

const GID = "gid://shopify/Customer/706405506930370084";
let app: ChannelApp;
let userId: number;
beforeAll(async () => {
  app = await startChannelApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.reset();
  userId = await addCustomer(app.service.database, SHOP, {
    email: "ann@example.com",
    cookie: true,
  });
  await app.service.database.query(
    "UPDATE storefront_users SET storefront_customer_gid = $1 WHERE id = $2",
    [GID, userId],
  );
});

type Outside = {
  channel: string;
  type?: string;
  entity?: string;
  id?: string;
  payload?: Record<string, unknown>;
  source?: string;
  shop?: string;
};

async function deliver({
  channel,
  type = "customer.updated",
  entity = "customer",
  id = GID,
  payload = {},
  source = "storefront",
  shop = SHOP,
}: Outside) {
  const eventId = randomUUID();
  await enqueue(app.service.ctx.home.forTenant(shop).sql, {
    eventId,
    source,
    eventType: type,
    entityType: entity,
    entityId: id,
    payload,
    occurredAt: new Date(),
    destinations: [channel],
  });
  return { eventId, ...(await app.settled(eventId)) };
}

const itemOf = (fields: Partial<QueueItem>): QueueItem => ({
  shop: SHOP,
  queueId: 1,
  eventId: randomUUID(),
  channel: "cms",
  source: "storefront",
  eventType: "customer.updated",
  entityType: "customer",
  entityId: GID,
  payload: {},
  priority: 3,
  retryCount: 0,
  maxRetries: 3,
  createdAt: new Date(),
  occurredAt: new Date(),
  isArchiveOnly: false,
  attemptToken: randomUUID(),
  traceParent: null,
  ...fields,
});

type Hit = {
  client_id: string;
  user_properties?: unknown;
  events: { name: string; params: Record<string, unknown> }[];
};
const lastHit = () => app.service.sandbox.analytics.hits().at(-1)?.body as Hit;
const noteOf = async (eventId: string) =>
  (
    await app.service.database.query("SELECT error FROM delivery_attempts WHERE event_id = $1", [
      eventId,
    ])
  )[0]?.error;

describe("the person of a row", () => {
  const digits = "706405506930370084";
  const find = async (fields: Partial<QueueItem>) =>
    findUserId(
      app.service.ctx,
      await getTenant(app.service.ctx, fields.shop ?? SHOP),
      itemOf({ entityId: "x", ...fields }),
    );

  test("named by an address is the one who registered again, not the deleted customer", async () => {
    const { database } = app.service;
    await database.query(
      "UPDATE storefront_users SET status = 'deleted', storefront_customer_gid = NULL WHERE id = $1",
      [userId],
    );
    const again = await addCustomer(database, SHOP, { email: "ann@example.com" });
    expect(await find({ payload: { email: "ann@example.com" } })).toBe(again);
  });

  test.each<[string, Partial<QueueItem>]>([
    ["the gid of the event", { entityId: GID }],
    ["the number of the event", { entityId: digits }],
    ["the gid in the payload", { payload: { admin_graphql_api_id: GID } }],
    ["the number in the payload, as text", { payload: { id: digits } }],
    ["the address, however it is written", { payload: { email: " Ann@Example.COM " } }],
    [
      "a gid that nobody has, and then the address",
      { entityId: "gid://shopify/Customer/1", payload: { email: "ann@example.com" } },
    ],
    [
      "an order's customer",
      {
        entityType: "order",
        entityId: "gid://shopify/Order/1",
        payload: { customer: { admin_graphql_api_id: GID } },
      },
    ],
    [
      "an order's own address",
      {
        entityType: "order",
        entityId: "gid://shopify/Order/1",
        payload: { contact_email: "ann@example.com" },
      },
    ],
  ])("is found by %s", async (_, fields) => {
    expect(await find(fields)).toBe(userId);
  });

  test("is found by our own id", async () => {
    expect(await find({ payload: { user_id: userId } })).toBe(userId);
  });

  test.each(["cms", "erp", "erpsys", "wms"])(
    "is not found by a user id of %s, which counts its own users",
    async (source) => {
      const other = await addCustomer(app.service.database, SHOP, { email: "other@example.com" });
      expect(await find({ source, payload: { user_id: userId } })).toBeNull();
      expect(await find({ source, payload: { user_id: userId, email: "other@example.com" } })).toBe(
        other,
      );
    },
  );

  test.each<[string, Partial<QueueItem>]>([
    ["a number that lost digits", { payload: { id: Number(digits) } }],
    ["another system's number", { entityId: digits, source: "erp" }],
    ["an order's own number", { entityType: "order", entityId: digits }],
    ["an order's clerk", { entityType: "order", payload: { user_id: 1 } }],
    ["nothing", {}],
  ])("is not inferred from %s", async (_, fields) => {
    expect(await find(fields)).toBeNull();
  });

  test("is never another store's", async () => {
    await app.service.addTenant(OTHER_SHOP);
    expect(
      await find({ shop: OTHER_SHOP, entityId: GID, payload: { email: "ann@example.com" } }),
    ).toBeNull();
  });

  test("is found by the storefront's id when another account has the address", async () => {
    await addCustomer(app.service.database, SHOP, { email: "other@example.com" });
    expect(await find({ entityId: GID, payload: { email: "other@example.com" } })).toBe(userId);
  });
});

describe("the CMS", () => {
  test("receives the customer that the storefront names, with our data and not the payload's", async () => {
    expect(
      await deliver({
        channel: "cms",
        payload: { admin_graphql_api_id: GID, first_name: "Mallory" },
      }),
    ).toMatchObject({ status: "delivered" });
    expect(
      app.service.sandbox.cms
        .items()
        .find(({ fieldData }) => fieldData.slug === `customer-${userId}`),
    ).toMatchObject({ isDraft: true, fieldData: { "first-name": "Ann" } });
  });

  test.each([
    [
      "a customer that nobody knows",
      { entity: "customer", id: "gid://shopify/Customer/1" },
      "no such customer",
    ],
    [
      "a product",
      { entity: "product", id: "gid://shopify/Product/1", type: "product.updated" },
      "the CMS has no collection for products",
    ],
  ])("is not called for %s, and the log says why", async (_, event, note) => {
    const before = app.calls("cms");
    const row = await deliver({ channel: "cms", ...event });
    expect(row).toMatchObject({ status: "delivered", retry_count: 0 });
    expect(await noteOf(row.eventId)).toBe(note);
    expect(app.calls("cms")).toBe(before);
  });

  test("deletes a deleted customer's item, also when the storefront names them", async () => {
    await deliver({ channel: "cms" });
    await app.service.database.query(
      "UPDATE storefront_users SET status = 'deleted' WHERE id = $1",
      [userId],
    );
    await deliver({ channel: "cms", type: "customer.deleted" });
    expect(
      app.service.sandbox.cms
        .items()
        .filter(({ fieldData }) => fieldData.slug === `customer-${userId}`),
    ).toEqual([]);
  });

  test("an order makes a dead letter that lists the entities the CMS accepts", async () => {
    expect(await deliver({ channel: "cms", entity: "order", id: "1" })).toMatchObject({
      status: "dead_letter",
      last_error: "cms takes customers, not order",
    });
  });
});

describe("web analytics", () => {
  const ORDER = {
    admin_graphql_api_id: "gid://shopify/Order/820982911946154508",
    name: "#1001",
    email: "ann@example.com",
    total_price: "398.00",
    currency: "EUR",
    customer: { admin_graphql_api_id: GID, email: "ann@example.com", first_name: "Ann" },
    line_items: [
      { sku: "A", quantity: 2, price: "99.50" },
      { sku: "B", quantity: 1, price: "199.00" },
    ],
  };
  const order = (payload: Record<string, unknown> = ORDER) =>
    deliver({
      channel: "web_analytics",
      type: "order.created",
      entity: "order",
      id: ORDER.admin_graphql_api_id,
      payload,
    });

  test("receives that an order was created, with its amount, without personal data, and not as a purchase", async () => {
    expect(await order()).toMatchObject({ status: "delivered" });
    const hit = lastHit();
    expect(hit.events).toEqual([
      {
        name: "order_created",
        params: {
          transaction_id: "#1001",
          value: 398,
          currency: "EUR",
          item_count: 3,
          event_id: expect.any(String),
          engagement_time_msec: 1,
        },
      },
    ]);
    expect(hit.user_properties).toBeUndefined();
    expect(JSON.stringify(hit)).not.toMatch(/ann|706405506930370084/i);
    expect(app.service.sandbox.analytics.violations()).toEqual([]);
  });

  test.each([
    ["an hour ago: when it happened", 1, true],
    ["four days ago, which the product refuses: no time", 96, false],
    ["an hour ahead, by its sender's clock: no time", -1, false],
  ])("receives of an event of %s", async (_, hours, isSent) => {
    const occurredAt = new Date(Date.now() - hours * 3_600_000);
    const message = await webAnalyticsChannel.transform(
      app.service.ctx,
      await getTenant(app.service.ctx, SHOP),
      itemOf({ entityType: "order", entityId: "gid://shopify/Order/1", occurredAt }),
    );
    expect(message.transformed_payload.timestamp_micros).toBe(
      isSent ? occurredAt.getTime() * 1_000 : undefined,
    );
  });

  test("receives what others say of an address that somebody entered in a form, as of an unknown person", async () => {
    const { database } = app.service;
    const contact = await addCustomer(database, SHOP, { email: "typed@example.com" });
    await database.query(
      "INSERT INTO user_extras (shop, user_id, is_contact) VALUES ($1, $2, true)",
      [SHOP, contact],
    );
    const row = await deliver({
      channel: "web_analytics",
      source: "erp",
      type: "order.created",
      entity: "order",
      id: "7",
      payload: { ...ORDER, email: "typed@example.com", customer: null },
    });
    expect([row.status, await noteOf(row.eventId)]).toEqual(["delivered", null]);
    expect(lastHit().events[0]?.name).toBe("order_created");
  });

  test("receives the order under the customer's own client id", async () => {
    await deliver({ channel: "web_analytics" });
    const { client_id: own } = lastHit();
    await order();
    expect(lastHit().client_id).toBe(own);
  });

  test("receives an unknown person under one pseudonym, for the customer and the order, without properties", async () => {
    const stranger = "gid://shopify/Customer/99";
    await deliver({
      channel: "web_analytics",
      id: stranger,
      payload: {
        email: "who@example.com",
        cause: "email_signup",
        analytics: { name: "ucp_mandate_used" },
      },
    });
    const hit = lastHit();
    expect(hit).toMatchObject({
      client_id: expect.stringMatching(/^\d+\.\d+$/),
      consent: { ad_user_data: "DENIED" },
      events: [{ name: "crm_sync", params: { source: "storefront_webhook" } }],
    });
    expect(hit.user_properties).toBeUndefined();
    expect(JSON.stringify(hit)).not.toContain("who@");
    await order({ ...ORDER, email: null, customer: { admin_graphql_api_id: stranger } });
    expect(lastHit().client_id).toBe(hit.client_id);
  });

  test("receives nothing about a deleted person", async () => {
    await app.service.database.query(
      "UPDATE storefront_users SET status = 'deleted' WHERE id = $1",
      [userId],
    );
    const before = app.calls("web_analytics");
    expect(await order()).toMatchObject({ status: "delivered" });
    expect(app.calls("web_analytics")).toBe(before);
  });

  test("receives for other entities the event and the entity's id", async () => {
    await deliver({
      channel: "web_analytics",
      type: "inventory.changed",
      entity: "inventory",
      id: "INV-7",
      payload: { location: "Berlin" },
    });
    expect(lastHit().events).toEqual([
      {
        name: "inventory_changed",
        params: { entity_id: "INV-7", event_id: expect.any(String), engagement_time_msec: 1 },
      },
    ]);
    await deliver({
      channel: "web_analytics",
      type: "invoice.sent",
      entity: "invoice",
      id: "ann@example.com",
    });
    expect(Object.keys(lastHit().events[0]?.params ?? {})).toEqual([
      "event_id",
      "engagement_time_msec",
    ]);
    expect(app.service.sandbox.analytics.violations()).toEqual([]);
  });

  test.each([
    ["order.created", "order_created"],
    ["Order.Line-Item.Added", "Order_Line_Item_Added"],
    ["7.up", "crm_7_up"],
    ["app.update", "crm_app_update"],
    ["purchase", "crm_purchase"],
    ["ad.shown", "crm_ad_shown"],
    ["x".repeat(60), "x".repeat(40)],
  ])("%s is named %s", (type, name) => {
    expect(toEventName(type)).toBe(name);
  });
});

describe("the profile platform", () => {
  test("receives the hash of an unknown person's address with all consents denied, and nothing without an address", async () => {
    const row = await deliver({
      channel: "profile_platform",
      id: "gid://shopify/Customer/99",
      payload: { email: "Who@Example.com", first_name: "Who" },
    });
    expect(row.transformed_payload).toMatchObject({
      body: {
        xdmEntity: {
          identityMap: { Email_LC_SHA256: [{ id: hash("sha256", "who@example.com") }] },
          consents: { collect: { val: "n" }, marketing: { email: { val: "n" } } },
        },
      },
    });
    // The row keeps the message as it went out.
    const sent = app.service.sandbox.requests("profilePlatform").at(-1)?.body;
    expect(row.transformed_payload).toEqual(sent);
    expect(JSON.stringify(row.transformed_payload)).not.toMatch(/who@/i);
    // The service alone says who is in a segment.
    const { transformed_payload: message } = await profilePlatformChannel.transform(
      app.service.ctx,
      await getTenant(app.service.ctx, SHOP),
      itemOf({
        source: "manual",
        eventType: "customer.segment_sent",
        payload: { email: "who@example.com", segment: { id: randomUUID(), name: "VIP" } },
      }),
    );
    expect(message).toMatchObject({ body: { xdmEntity: { identityMap: {} } } });
    expect(message).not.toHaveProperty("body.xdmEntity.segmentMembership");
    const before = app.calls("profile_platform");
    const silent = await deliver({ channel: "profile_platform", id: "gid://shopify/Customer/98" });
    expect(await noteOf(silent.eventId)).toBe("no such customer");
    expect(app.calls("profile_platform")).toBe(before);
  });
});

describe("an event of the store's pixel", () => {
  const view = (id: string, visit?: string) =>
    deliver({
      channel: "web_analytics",
      source: "storefront_pixel",
      type: "checkout.page_viewed",
      entity: "order",
      id,
      payload: { id, consent: { analytics: true }, ...(visit && { visit }) },
    });
  const sentFor = async (id: string, visit?: string) => {
    await view(id, visit);
    const { client_id: client, events } = lastHit();
    return { client, session: events[0]?.params.session_id };
  };

  test("belongs to its visit: one client and one session, which do not show the visit's id", async () => {
    const visit = "0b7a4f4e-2c8e-4f3d-9d53-7a3c7a1f9f10";
    const first = await sentFor("event-number-1", visit);
    expect(await sentFor("event-number-2", visit)).toEqual(first);
    expect(first).toEqual({
      client: expect.stringMatching(/^\d+\.\d+$/),
      session: expect.stringMatching(/^\d+$/),
    });
    const other = await sentFor("event-number-3", "another-visit-of-somebody");
    expect(other.client).not.toBe(first.client);
    expect(JSON.stringify(lastHit())).not.toContain("another-visit");
  });

  test("without a visit, as older pixels send it, is sent as before", async () => {
    const { client, session } = await sentFor("event-number-4");
    expect([client, session]).toEqual([expect.stringMatching(/^\d+\.\d+$/), undefined]);
  });
});
