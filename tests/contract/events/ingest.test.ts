import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ERP_TOKEN,
  ingest,
  ingestWebhook,
  keyOf,
  order,
  TENANT_KEY,
} from "../../support/bus/events.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, {
    erp_token: ERP_TOKEN,
    admin_key: TENANT_KEY,
    erp_base_url: service.sandbox.addresses.erpBaseUrl,
  });
  await service.addTenant(OTHER_SHOP);
});

const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);
const rows = () => query("SELECT * FROM integration_queue ORDER BY channel");
const isEmpty = async () =>
  (
    await query(
      `SELECT 1 FROM integration_queue UNION ALL SELECT 1 FROM event_ledger UNION ALL SELECT 1
        FROM kv WHERE key LIKE 'evt:%'`,
    )
  ).length === 0;
const ledger = async () =>
  (await query("SELECT * FROM event_ledger"))[0] as Record<string, unknown>;

describe("an accepted event", () => {
  test("answers 202 with its id and writes a marker, a ledger row and one queue row per destination", async () => {
    const event_id = randomUUID();
    const event = order({ event_id });
    const { status, json } = await ingest(service, event);
    expect({ status, json }).toEqual({
      status: 202,
      json: { ok: true, event_id, queued: 2, destinations: ["erpsys", "web_analytics"] },
    });
    const key = keyOf("manual", String(event.entity_id), "order.created", "2026-11-21T10:00:00Z");
    expect(
      await query(
        "SELECT shop, value, extract(epoch FROM expires_at - now()) > 604700 AS lives_long FROM kv WHERE key = $1",
        [`evt:${key}`],
      ),
    ).toEqual([{ shop: SHOP, value: event_id, lives_long: true }]);
    expect(await ledger()).toMatchObject({
      shop: SHOP,
      event_id,
      idempotency_key: key,
      source: "manual",
      entity_type: "order",
      destinations: ["erpsys", "web_analytics"],
      priority: 2,
      occurred_at: new Date("2026-11-21T10:00:00Z"),
    });
    expect(await rows()).toMatchObject([
      {
        shop: SHOP,
        event_id,
        channel: "erpsys",
        status: "pending",
        priority: 2,
        retry_count: 0,
        max_retries: 4,
        payload: event.payload,
        delivery_config: null,
      },
      { shop: SHOP, event_id, channel: "web_analytics", status: "pending" },
    ]);
  });

  test("keeps the payload out of the ledger", async () => {
    await ingest(service, order({ payload: { email: "ann@example.com" } }));
    expect(JSON.stringify(await ledger())).not.toContain("ann@");
  });

  test.each(["ann@example.com", "+49 30 1234567"])(
    "keeps the entity id %s out of the ledger",
    async (entity_id) => {
      await ingest(service, order({ entity_id }));
      expect((await ledger()).entity_id).toMatch(/^[\w-]{20,}$/);
      expect(JSON.stringify(await ledger())).not.toContain(entity_id);
    },
  );

  test("cannot be changed or deleted in the ledger", async () => {
    await ingest(service, order());
    await expect(query("UPDATE event_ledger SET source = 'erp'")).rejects.toThrow(/append-only/);
    await expect(query("DELETE FROM event_ledger")).rejects.toThrow(/append-only/);
  });

  test.each([
    ["order.created", "order", ["erpsys", "web_analytics"], 2],
    ["customer.updated", "customer", ["cms", "web_analytics", "profile_platform"], 3],
    ["product.updated", "product", ["cms"], 4],
    ["inventory.changed", "inventory", ["archive"], 1],
    ["invoice.created", "invoice", ["erpsys"], 3],
  ])(
    "without destinations and priority %s goes to its entity's default destinations",
    async (event_type, entity_type, destinations, priority) => {
      const { json } = await ingest(service, order({ event_type }));
      expect(json.destinations).toEqual(destinations);
      expect(await ledger()).toMatchObject({ entity_type, priority });
    },
  );

  test("follows the store's routes, wildcards and priority too, except channels that are not enabled", async () => {
    await service.call("PUT", `/admin/destinations?shop=${SHOP}`, {
      body: {
        event_routes: [
          { event_type: "order.*", channels: ["archive", "erpsys"], priority: 4 },
          { event_type: "*.created", channels: ["web_analytics", "archive"], priority: 5 },
          { event_type: "order.created*created", channels: ["cms"], priority: 1 },
        ],
        enabled_channels: ["archive", "erpsys"],
      },
    });
    expect((await ingest(service, order())).json).toMatchObject({
      queued: 2,
      destinations: ["archive", "erpsys"],
    });
    expect((await ledger()).priority).toBe(4);
    // No route matches: the entity's default destinations, except the channels that the store has not
    // enabled.
    expect((await ingest(service, order({ event_type: "product.updated" }))).json).toMatchObject({
      queued: 0,
      destinations: [],
    });
  });

  test("follows a route for every allowed event type", async () => {
    expect(
      (
        await service.call("PUT", `/admin/destinations?shop=${SHOP}`, {
          body: { event_routes: [{ event_type: "Price-List.*", channels: ["archive"] }] },
        })
      ).status,
    ).toBe(200);
    expect(
      (await ingest(service, order({ event_type: "Price-List.Changed", entity_type: "product" })))
        .json.destinations,
    ).toEqual(["archive"]);
  });

  test("keeps the destinations that its sender names: an unknown or disabled one is only archived", async () => {
    await service.call("PUT", `/admin/destinations?shop=${SHOP}`, {
      body: { enabled_channels: ["cms"] },
    });
    const { json } = await ingest(
      service,
      order({ destinations: ["data_lake", "erpsys", "email", "cms", "cms", "Partner.Feed-2"] }),
    );
    expect(json).toMatchObject({
      queued: 5,
      destinations: ["data_lake", "erpsys", "email", "cms", "Partner.Feed-2"],
    });
    expect(
      (await rows()).map(({ channel, delivery_config }) => [
        channel,
        delivery_config?.method ?? null,
      ]),
    ).toEqual([
      ["Partner.Feed-2", "ARCHIVE"],
      ["cms", null],
      ["data_lake", "ARCHIVE"],
      ["email", "ARCHIVE"],
      ["erpsys", "ARCHIVE"],
    ]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    [
      "the payload's gid",
      {
        entity_id: undefined,
        payload: { admin_graphql_api_id: "gid://shopify/Order/9007199254740999", id: 1 },
      },
      "gid://shopify/Order/9007199254740999",
    ],
    ["the payload's id", { entity_id: undefined, payload: { id: 42 } }, "42"],
    ["a number of its own", { entity_id: 7 }, "7"],
  ])("takes its entity from %s", async (_, fields, entity_id) => {
    expect((await ingest(service, order(fields))).status).toBe(202);
    expect((await ledger()).entity_id).toBe(entity_id);
  });

  test("without a time uses the payload's, else the current time", async () => {
    await ingest(
      service,
      order({ timestamp: undefined, payload: { updated_at: "2026-01-02T03:04:05+01:00" } }),
    );
    expect((await ledger()).occurred_at).toEqual(new Date("2026-01-02T02:04:05Z"));
    await service.database.truncate();
    await service.addTenant(SHOP);
    await ingest(service, order({ timestamp: undefined }));
    expect(Date.now() - ((await ledger()).occurred_at as Date).getTime()).toBeLessThan(10_000);
  });

  test.each(["9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00Z", "yesterday"])(
    "of the storefront is accepted whatever its header says about the time: %s",
    async (time) => {
      const sent = await ingestWebhook(
        service,
        "orders/create",
        { id: 77, updated_at: "2026-01-02T03:04:05Z" },
        { headers: { "X-Storefront-Triggered-At": time } },
      );
      expect(sent.status).toBe(202);
      expect((await ledger()).occurred_at).toEqual(new Date("2026-01-02T03:04:05Z"));
    },
  );

  test("has its own time of receipt, whatever the sender claims", async () => {
    await ingest(service, order({ received_at: "2001-01-01T00:00:00Z" }));
    expect(Date.now() - ((await ledger()).received_at as Date).getTime()).toBeLessThan(10_000);
  });

  test("may have its own idempotency key of 64 hex digits; any other value is ignored", async () => {
    const own = "AB".repeat(32);
    await ingest(service, order({ idempotency_key: own }));
    expect((await ledger()).idempotency_key).toBe(own.toLowerCase());
    await service.database.truncate();
    await service.addTenant(SHOP);
    const event = order({ idempotency_key: "short" });
    await ingest(service, event);
    expect((await ledger()).idempotency_key).toBe(
      keyOf("manual", String(event.entity_id), "order.created", "2026-11-21T10:00:00Z"),
    );
  });

  test.each([
    "11111111-1111-1111-1111-111111111111",
    "00000000-0000-0000-0000-000000000001",
    "0F8FAD5B-D9CB-469F-C165-70867728950E",
  ])("keeps the id that its source assigned, for every kind of UUID: %s", async (event_id) => {
    expect((await ingest(service, order({ event_id }))).json.event_id).toBe(event_id.toLowerCase());
  });

  test("finds its store by the envelope when the request names none", async () => {
    expect((await ingest(service, order({ tenant_shop: OTHER_SHOP }), { shop: null })).status).toBe(
      202,
    );
    expect((await ledger()).shop).toBe(OTHER_SHOP);
  });
});

describe("a repeated event", () => {
  test("answers 200, deduplicated, with the first one's id, and adds no row", async () => {
    const event = order();
    const first = await ingest(service, event);
    const again = await ingest(service, { ...event, payload: { other: true } });
    expect({ status: again.status, json: again.json }).toEqual({
      status: 200,
      json: { ok: true, deduplicated: true, event_id: first.json.event_id },
    });
    expect(await rows()).toHaveLength(2);
  });

  test("with the same event id is a duplicate although it has no time of its own", async () => {
    const event = order({ event_id: randomUUID(), timestamp: undefined });
    expect((await ingest(service, event)).status).toBe(202);
    expect((await ingest(service, event)).json).toEqual({
      ok: true,
      deduplicated: true,
      event_id: event.event_id,
    });
    expect(await rows()).toHaveLength(2);
  });

  test("200 times concurrently writes one set of rows: one 202, and 199 times 200 with its id", async () => {
    const event = order();
    const answers = await Promise.all(Array.from({ length: 200 }, () => ingest(service, event)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status, json }) => status === 200 && json.deduplicated)).toHaveLength(
      199,
    );
    expect(new Set(answers.map(({ json }) => json.event_id)).size).toBe(1);
    expect(await rows()).toHaveLength(2);
    expect(await query("SELECT 1 FROM event_ledger")).toHaveLength(1);
  });

  test("while the store's settings change five times is stored once, and no caller gets an error", async () => {
    const event = order();
    const changes = (async () => {
      for (let number = 0; number < 5; number += 1) {
        await query("UPDATE kv SET version = version + 1 WHERE key = $1", [`tenant:${SHOP}`]);
        await service.call("GET", "/health", { key: null });
      }
    })();
    const answers = await Promise.all(Array.from({ length: 200 }, () => ingest(service, event)));
    await changes;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 202]));
    expect(await rows()).toHaveLength(2);
  });

  test("of another store is a separate event", async () => {
    const event = order({ event_id: randomUUID() });
    expect([
      (await ingest(service, event)).status,
      (await ingest(service, event, { shop: OTHER_SHOP })).status,
    ]).toEqual([202, 202]);
  });

  test("is new again once its marker has expired", async () => {
    const event = order();
    await ingest(service, event);
    await query("UPDATE kv SET expires_at = now() WHERE key LIKE 'evt:%'");
    expect((await ingest(service, event)).status).toBe(202);
  });
});

describe("a rejected event writes nothing:", () => {
  const event = { event_type: "order.created", entity_id: "1" };
  test.each<[string, unknown, number, string, string[]]>([
    ["broken JSON", "{", 400, "malformed_json", []],
    ["no object", "[1]", 400, "invalid_request", []],
    ["no event type", { entity_id: "1" }, 400, "invalid_request", ["event_type"]],
    [
      "no entity id",
      { event_type: "order.created", payload: { total: 1 } },
      400,
      "invalid_request",
      ["entity_id"],
    ],
    [
      "an entity that the type does not tell",
      { event_type: "weather.changed", entity_id: "1" },
      400,
      "invalid_request",
      ["entity_type"],
    ],
    ...["__proto__", "constructor.made", "toString", "hasOwnProperty.x"].map(
      (event_type): [string, unknown, number, string, string[]] => [
        `an entity that ${event_type} does not tell`,
        { event_type, entity_id: "1" },
        400,
        "invalid_request",
        ["entity_type"],
      ],
    ),
    [
      "an unknown entity type",
      { ...event, entity_type: "planet" },
      400,
      "invalid_request",
      ["entity_type"],
    ],
    ["an unknown source", { ...event, source: "moon" }, 400, "invalid_request", ["source"]],
    [
      "an event id that is none",
      { ...event, event_id: "../../etc" },
      400,
      "invalid_request",
      ["event_id"],
    ],
    [
      "an id that lost its digits",
      '{"event_type":"order.created","entity_id":9007199254740993}',
      400,
      "invalid_request",
      ["entity_id"],
    ],
    [
      "a time that is none",
      { ...event, timestamp: "yesterday" },
      400,
      "invalid_request",
      ["timestamp"],
    ],
    ...["9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01"].map(
      (timestamp): [string, unknown, number, string, string[]] => [
        `a time outside the years 0001 to 9999 in UTC, ${timestamp}`,
        { ...event, timestamp },
        400,
        "invalid_request",
        ["timestamp"],
      ],
    ),
    ["a priority out of range", { ...event, priority: 6 }, 400, "invalid_request", ["priority"]],
    [
      "a destination that is no name",
      { ...event, destinations: ["../up"] },
      400,
      "invalid_request",
      ["destinations.0"],
    ],
    [
      "a destination that is the archive's own folder",
      { ...event, destinations: ["dead_letter"] },
      400,
      "invalid_request",
      ["destinations.0"],
    ],
    [
      "a payload that is no object",
      { ...event, payload: [1] },
      400,
      "invalid_request",
      ["payload"],
    ],
    [
      "another store in the envelope",
      { ...event, tenant_shop: OTHER_SHOP },
      400,
      "invalid_request",
      ["tenant_shop"],
    ],
    [
      "a NUL in a text",
      '{"event_type":"order.created","entity_id":"1","payload":{"note":"a\\u0000b"}}',
      400,
      "malformed_body",
      [],
    ],
    [
      "half a character",
      '{"event_type":"order.created","entity_id":"1","payload":{"note":"\\ud800"}}',
      400,
      "malformed_body",
      [],
    ],
    [
      "a payload nested past all reason",
      `{"event_type":"order.created","entity_id":"1","payload":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`,
      400,
      "malformed_body",
      [],
    ],
    [
      "more than 2 MiB",
      { ...event, payload: { note: "x".repeat(2 * 1024 * 1024) } },
      413,
      "payload_too_large",
      [],
    ],
  ])("%s", async (_, body, status, code, fields) => {
    const { status: actual, json } = await ingest(service, body);
    expect({ actual, code: json.code, fields: Object.keys(json.fields ?? {}) }).toEqual({
      actual: status,
      code,
      fields,
    });
    expect(await isEmpty()).toBe(true);
  });

  test.each([
    ["no id", "{}", "is missing, and the payload names none"],
    [
      "a number that lost its digits",
      '{"id":9007199254740993}',
      "is missing, and the payload's id is too large for a number: send it as text",
    ],
  ])("whose payload has %s says so", async (_, payload, message) => {
    const answer = await ingest(service, `{"event_type":"product.updated","payload":${payload}}`);
    expect([answer.status, answer.json.fields]).toEqual([400, { entity_id: message }]);
    expect(await isEmpty()).toBe(true);
  });

  test("another content type", async () => {
    const { status, json } = await ingest(service, order(), {
      headers: { "Content-Type": "text/plain" },
    });
    expect({ status, code: json.code }).toEqual({ status: 415, code: "unsupported_media_type" });
  });

  test("an unregistered store", async () => {
    expect((await ingest(service, order(), { shop: "nobody.myshopify.com" })).json.code).toBe(
      "unknown_tenant",
    );
    expect((await ingest(service, order(), { shop: null })).json.code).toBe("tenant_required");
  });

  test("one invalid event among many concurrent ones, and the others are stored", async () => {
    const bad = '{"event_type":"order.created","entity_id":"1","payload":{"note":"\\ud800"}}';
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => ingest(service, n === 20 ? bad : order())),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(39);
    expect(await query("SELECT 1 FROM event_ledger")).toHaveLength(39);
  });
});

test("events of almost 2 MB are accepted one after the other: what is stored makes room", async () => {
  const payload = { note: "x".repeat(1_900_000) };
  for (let n = 0; n < 9; n += 1)
    expect((await ingest(service, { ...order(), payload })).status).toBe(202);
});
