// Processing of an accepted webhook: stored once, answered at once, handled afterwards.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CUSTOMER_2024_10, customerPayload } from "../../support/storefront/payloads.ts";
import { send, untilHandled } from "../../support/storefront/storefront.ts";
import {
  eventually,
  OTHER_SHOP,
  SHOP,
  sign,
  startService,
  type Service,
} from "../../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());

const rowsOf = (id: string) =>
  service.database.query("SELECT * FROM webhook_inbox WHERE delivery_id = $1", [id]);

test("a delivery that comes twice, also concurrently, is one inbox row with one effect", async () => {
  const raw = customerPayload({
    id: "5001",
    admin_graphql_api_id: '"gid://shopify/Customer/5001"',
    email: '"twice@store.example"',
  });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      service.webhook("customer-create", raw, { headers: { "X-Shopify-Webhook-Id": "same-id" } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  expect(answers.filter(({ json }) => !json.deduplicated)).toHaveLength(1);
  await untilHandled(service, "same-id");
  expect(
    (
      await service.webhook("customer-create", raw, {
        headers: { "X-Storefront-Webhook-Id": "same-id" },
      })
    ).json,
  ).toEqual({ ok: true, deduplicated: true });
  expect(await rowsOf("same-id")).toHaveLength(1);
  expect(
    await service.database.query(
      "SELECT 1 FROM storefront_users WHERE email = 'twice@store.example'",
    ),
  ).toHaveLength(1);
});

test("a delivery without an id is identified by its content", async () => {
  const raw = '{"id":77,"first_name":"No id"}';
  expect((await service.webhook("customer-update", raw)).json).toEqual({ ok: true });
  expect((await service.webhook("customer-update", raw)).json).toEqual({
    ok: true,
    deduplicated: true,
  });
  expect((await service.webhook("customer-create", raw)).json).toEqual({ ok: true });
});

test("a delivery with the same id in another store is separate", async () => {
  for (const shop of [SHOP, OTHER_SHOP]) {
    const headers = { "X-Shopify-Webhook-Id": "id-of-two-stores" };
    const answer = await service.webhook("customer-update", '{"id":1}', { shop, headers });
    expect(answer.json).toEqual({ ok: true });
  }
  expect(await rowsOf("id-of-two-stores")).toHaveLength(2);
});

// Two subscriptions for a topic, in the manifest and by the API, send two deliveries of one event,
// each with its own id.
describe("an event of the storefront", () => {
  const raw = customerPayload({
    id: "5002",
    admin_graphql_api_id: '"gid://shopify/Customer/5002"',
    email: '"event@store.example"',
  });
  const deliver = (
    id: string,
    event: string,
    { shop = SHOP, slug = "customer-update", family = "Shopify" } = {},
  ) =>
    service.webhook(slug, raw, {
      shop,
      headers: { [`X-${family}-Webhook-Id`]: id, [`X-${family}-Event-Id`]: event },
    });
  const toBus = (id: string, event: string, topic = "customers/update") =>
    service.call("POST", "/events/ingest?source=storefront", {
      key: null,
      body: raw,
      headers: {
        "X-Shopify-Hmac-Sha256": sign(raw),
        "X-Shopify-Shop-Domain": SHOP,
        "X-Shopify-Topic": topic,
        "X-Shopify-Webhook-Id": id,
        "X-Shopify-Event-Id": event,
      },
    });
  const fresh = { ok: true };
  const again = { ok: true, deduplicated: true };

  test("is one row and one effect for any number of deliveries, also concurrent ones", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => deliver(`each-${index}`, "event-1")),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(answers.filter(({ json }) => !json.deduplicated)).toHaveLength(1);
    expect((await deliver("later", "event-1")).json).toEqual(again);
    expect((await deliver("later", "event-1", { family: "Storefront" })).json).toEqual(again);
    expect(
      await service.database.query(
        "SELECT 1 FROM webhook_inbox WHERE shop = $1 AND storefront_event_id = 'event-1/5002'",
        [SHOP],
      ),
    ).toHaveLength(1);
  });

  test("is separate for another topic, for another store, and with another event id under the same delivery id", async () => {
    expect((await deliver("topic", "event-2")).json).toEqual(fresh);
    expect((await deliver("topic", "event-2", { slug: "customer-create" })).json).toEqual(fresh);
    expect((await deliver("topic", "event-2", { shop: OTHER_SHOP })).json).toEqual(fresh);
    expect((await deliver("topic", "event-3")).json).toEqual(fresh);
    expect((await deliver("other", "event-2")).json).toEqual(again);
  });

  // One action of a merchant's on several customers, as a bulk edit of their tags: one event id for all.
  test("is separate for each customer of one action, also without a gid", async () => {
    const about = (id: string, body: string) =>
      service.webhook("customer-update", body, {
        shop: SHOP,
        headers: { "X-Shopify-Webhook-Id": id, "X-Shopify-Event-Id": "bulk" },
      });
    const one = customerPayload({ id: "9007199254740993", admin_graphql_api_id: "null" });
    const other = customerPayload({ id: "9007199254740992", admin_graphql_api_id: "null" });
    expect((await about("bulk-1", one)).json).toEqual(fresh);
    expect((await about("bulk-2", other)).json).toEqual(fresh);
    expect((await about("bulk-3", one)).json).toEqual(again);
    const withGid = customerPayload({
      id: "9007199254740992",
      admin_graphql_api_id: '"gid://shopify/Customer/9007199254740992"',
    });
    expect((await about("bulk-4", withGid)).json).toEqual(again);
    expect((await about("bulk-5", raw)).json).toEqual(fresh);
  });

  test("is separate for each of several customers that one action merges into one", async () => {
    const merge = (id: string, from: string) => {
      const body = {
        admin_graphql_api_customer_kept_id: "gid://shopify/Customer/7001",
        admin_graphql_api_customer_deleted_id: `gid://shopify/Customer/${from}`,
      };
      return service.webhook("customers-merge", JSON.stringify(body), {
        shop: SHOP,
        headers: { "X-Shopify-Webhook-Id": id, "X-Shopify-Event-Id": "merges" },
      });
    };
    expect((await merge("merge-1", "7002")).json).toEqual(fresh);
    expect((await merge("merge-2", "7003")).json).toEqual(fresh);
    expect((await merge("merge-3", "7002")).json).toEqual(again);
  });

  test("without an event id is identified by its delivery id, which never collides with an event id", async () => {
    const bare = (id: string) =>
      service.webhook("customer-update", raw, { headers: { "X-Shopify-Webhook-Id": id } });
    expect((await bare("event-4")).json).toEqual(fresh);
    expect((await bare("event-4")).json).toEqual(again);
    expect((await deliver("event-4", "event-4")).json).toEqual(fresh);
    expect((await bare("event-4")).json).toEqual(again);
  });

  test("is deduplicated across its webhook address and the event bus", async () => {
    const one = await toBus("bus-1", "event-5");
    expect([one.status, one.json.deduplicated]).toEqual([202, undefined]);
    const two = await toBus("bus-2", "event-5");
    expect([two.status, two.json]).toEqual([200, { ...again, event_id: one.json.event_id }]);
    expect((await deliver("bus-3", "event-5")).json).toEqual(again);
    expect((await deliver("bus-4", "event-6")).json).toEqual(fresh);
    expect((await toBus("bus-5", "event-6")).json).toMatchObject(again);
    const other = await toBus("bus-6", "event-5", "customers/create");
    expect(other.status).toBe(202);
  });

  test("that came by its webhook address first is answered by the event bus with the id of the event it made", async () => {
    const changed = customerPayload({
      id: "5003",
      admin_graphql_api_id: '"gid://shopify/Customer/5003"',
      email: '"first@store.example"',
    });
    const names = { "X-Shopify-Webhook-Id": "first-1", "X-Shopify-Event-Id": "event-8" };
    await service.webhook("customer-update", changed, { headers: names });
    await untilHandled(service, "first-1");
    const { json } = await service.call("POST", "/events/ingest?source=storefront", {
      key: null,
      body: changed,
      headers: {
        ...names,
        "X-Shopify-Hmac-Sha256": sign(changed),
        "X-Shopify-Shop-Domain": SHOP,
        "X-Shopify-Topic": "customers/update",
        "X-Shopify-Webhook-Id": "first-2",
      },
    });
    expect(json).toEqual({ ...again, event_id: expect.any(String) });
    expect(
      await service.database.query(
        "SELECT event_type FROM event_ledger WHERE shop = $1 AND event_id = $2",
        [SHOP, json.event_id],
      ),
    ).toEqual([{ event_type: "customer.updated" }]);
  });

  test("is deduplicated also when its deliveries reach the bus together with different times", async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        service.call("POST", "/events/ingest?source=storefront", {
          key: null,
          body: raw,
          headers: {
            "X-Shopify-Hmac-Sha256": sign(raw),
            "X-Shopify-Shop-Domain": SHOP,
            "X-Shopify-Topic": "customers/update",
            "X-Shopify-Webhook-Id": `together-${index}`,
            "X-Shopify-Event-Id": "event-7",
            "X-Shopify-Triggered-At": new Date(Date.now() + index).toISOString(),
          },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(new Set(answers.map(({ json }) => json.event_id)).size).toBe(1);
  });
});

test("a delivery's body is deleted once it is handled", async () => {
  const id = await send(service, "customer-update", CUSTOMER_2024_10);
  await untilHandled(service, id);
  expect((await rowsOf(id))[0].body).toBe("");
});

test("a delivery is answered while every outside system hangs", async () => {
  await eventually("all earlier work to be done", async () => {
    const [row] = await service.database.query(
      `SELECT (SELECT count(*) FROM webhook_inbox WHERE status <> 'done') + (SELECT count(*)
        FROM integration_queue WHERE status <> 'delivered') AS n`,
    );
    return row.n === 0;
  });
  for (const system of ["storefront", "cms", "analytics", "profilePlatform", "email"] as const)
    service.sandbox.failNext(system, { hang: 1_500 }, Infinity);
  const before = service.logged.filter(
    ({ event }) => event === "outbound.called" || event === "outbound.failed",
  ).length;
  const raw = (index: number) =>
    customerPayload({
      id: `60${index}`,
      admin_graphql_api_id: `"gid://shopify/Customer/60${index}"`,
      email: `"hang-${index}@store.example"`,
    });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      service.webhook("customer-create", raw(index), {
        headers: { "X-Shopify-Webhook-Id": `hang-${index}` },
      }),
    ),
  );
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(
    service.logged.filter(
      ({ event }) => event === "outbound.called" || event === "outbound.failed",
    ),
  ).toHaveLength(before);
  // The calls were really made and hung: the deliveries did not answer merely because there was no work.
  await eventually(
    "calls that hang",
    () =>
      service.sandbox.requests("analytics").length > 0 &&
      service.logged.some(({ event }) => event === "outbound.failed"),
  );
  service.sandbox.clearFaults();
});
