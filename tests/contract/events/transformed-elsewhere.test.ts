// A message that a remote backend transformed is delivered unchanged with the channel's own address and
// credentials: its content was validated where it was made (DECISIONS 12).
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SystemName } from "../../../app/sandbox/faults.ts";
import { storeFields } from "../../support/bus/channels.ts";
import { deliver, ingest, order } from "../../support/bus/events.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { PASSWORD, signUp } from "../identity/people.ts";

let service: Service;
// No worker runs: only explicit requests deliver.
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  service.sandbox.clearFaults();
  await service.addTenant(SHOP, storeFields(service.sandbox));
});

const sentTo = (system: SystemName) => service.sandbox.requests(system);
const bodyOf = (body: unknown): unknown => (typeof body === "string" ? JSON.parse(body) : body);

/** Documents without some of our fields and with some that ours never have. */
const DOCUMENTS: [channel: string, system: SystemName, document: Record<string, unknown>][] = [
  ["erpsys", "erp", { ExternalDocumentID: "E-1", Total: "12.50", Lines: [{ Material: "M" }] }],
  ["erp_generic", "erp", { anything: { goes: [1, null, true] } }],
  ["web_analytics", "analytics", { app_instance_id: "x", events: [{ name: "made_elsewhere" }] }],
  ["profile_platform", "profilePlatform", { score: 7, segments: [{ id: "s" }] }],
  ["retail_analytics_b", "retailAnalyticsB", { household: "h-1", cart: [{ upc: "012" }] }],
];

describe.each(DOCUMENTS)("%s", (channel, system, document) => {
  test("receives the document for one of our rows exactly as sent", async () => {
    const { json } = await ingest(service, order({ destinations: [channel] }));
    const before = sentTo(system).length;
    const answer = await deliver(service, {
      queue_id: 1,
      event_id: json.event_id,
      channel,
      transformed_payload: document,
    });
    const sent = sentTo(system).slice(before);
    expect(sent).toHaveLength(1);
    expect(bodyOf(sent[0]?.body)).toEqual(document);
    expect([200, 502]).toContain(answer.status);
  });

  test("receives the document for an unknown event exactly as sent", async () => {
    const before = sentTo(system).length;
    await deliver(
      service,
      {
        queue_id: 1,
        event_id: randomUUID(),
        channel,
        transformed_payload: document,
        delivery_config: {
          method: "POST",
          endpoint: channel === "erp_generic" ? "/generic/order" : "/A_SalesOrder",
          credentials_key: null,
        },
      },
      { query: `?shop=${SHOP}` },
    );
    expect(
      sentTo(system)
        .slice(before)
        .map(({ body }) => bodyOf(body)),
    ).toEqual([document]);
  });
});

describe.each(["erpsys", "erp_generic"])("%s and a message of an unknown event", (channel) => {
  test.each([
    ["its whole address", () => service.sandbox.addresses.erpBaseUrl, "/"],
    [
      "a place below it",
      () => `${service.sandbox.addresses.erpBaseUrl}/v2/A_ReturnOrder`,
      "/v2/A_ReturnOrder",
    ],
  ])("that names %s is posted there", async (_, endpoint, path) => {
    const before = sentTo("erp").length;
    await deliver(
      service,
      {
        queue_id: 1,
        event_id: randomUUID(),
        channel,
        transformed_payload: { Total: "1" },
        delivery_config: { method: "POST", endpoint: endpoint(), credentials_key: null },
      },
      { query: `?shop=${SHOP}` },
    );
    expect(sentTo("erp").slice(before)).toMatchObject([{ path, body: { Total: "1" } }]);
  });

  test.each([
    ["a whole address", "https://elsewhere.example/odata/A_ReturnOrder?x=1", "/A_ReturnOrder"],
    ["a path", "/odata/A_ReturnOrder", "/A_ReturnOrder"],
    ["no place", "", "/"],
    ["no place by a bare address", "https://elsewhere.example", "/"],
    ["a place with other characters", "/../A B", "/"],
  ])("that names %s reaches the store's own ERP", async (_, endpoint, path) => {
    const before = sentTo("erp").length;
    await deliver(
      service,
      {
        queue_id: 1,
        event_id: randomUUID(),
        channel,
        transformed_payload: { Total: "1" },
        delivery_config: { method: "POST", endpoint, credentials_key: null },
      },
      { query: `?shop=${SHOP}` },
    );
    expect(sentTo("erp").slice(before)).toMatchObject([{ path, body: { Total: "1" } }]);
  });
});

test("cms finds the customer of an unknown event by the fields of the item, its address among them", async () => {
  const { email } = await signUp(service);
  const fieldData = { name: "Made elsewhere", slug: "made-elsewhere", email };
  const before = sentTo("cms").length;
  const answer = await deliver(
    service,
    {
      queue_id: 1,
      event_id: randomUUID(),
      channel: "cms",
      transformed_payload: { fieldData },
    },
    { query: `?shop=${SHOP}` },
  );
  expect(answer.json).toMatchObject({ ok: true, delivery_log: { error: null } });
  expect(sentTo("cms").slice(before)).toMatchObject([{ body: { fieldData } }]);
});

test("cms receives the fields of a known customer's item exactly as sent", async () => {
  const { email } = await signUp(service);
  const { json } = await ingest(service, {
    event_type: "customer.updated",
    entity_id: "made-elsewhere",
    payload: { email },
    destinations: ["cms"],
  });
  const fieldData = { name: "Made elsewhere", slug: "made-elsewhere", provider: "theirs" };
  const answer = await deliver(service, {
    queue_id: 1,
    event_id: json.event_id,
    channel: "cms",
    transformed_payload: { fieldData },
  });
  expect(answer.status).toBe(200);
  const items = sentTo("cms").filter(({ method }) => method === "POST" || method === "PATCH");
  expect(items.at(-1)?.body).toMatchObject({ fieldData });
});

type Document = Record<string, unknown> & { fieldData?: unknown };
test.each<[what: string, document: Document]>([
  ["an item", { fieldData: { name: "Eve", slug: "unknown-1", email: "unknown@example.com" } }],
  ["an item that names nobody", { fieldData: { name: "Eve", slug: "unknown-2" } }],
  ["the fields alone", { name: "Eve", slug: "unknown-3", provider: "theirs" }],
])("cms receives %s of a person who is unknown here as a new item", async (_, document) => {
  const before = sentTo("cms").length;
  const answer = await deliver(
    service,
    { queue_id: 1, event_id: randomUUID(), channel: "cms", transformed_payload: document },
    { query: `?shop=${SHOP}` },
  );
  expect(answer.json).toMatchObject({ ok: true, delivery_log: { error: null, http_status: 200 } });
  expect(sentTo("cms").slice(before)).toMatchObject([
    { method: "POST", body: { isDraft: true, fieldData: document.fieldData ?? document } },
  ]);
});

test("cms receives nothing of a person who deleted the account", async () => {
  const { email, token } = await signUp(service);
  await service.call("DELETE", "/auth/me", { key: token, body: { password: PASSWORD } });
  const before = sentTo("cms").length;
  const answer = await deliver(
    service,
    {
      queue_id: 1,
      event_id: randomUUID(),
      channel: "cms",
      transformed_payload: { fieldData: { name: "Late", slug: "late", email } },
    },
    { query: `?shop=${SHOP}` },
  );
  expect(answer.json).toMatchObject({ ok: true, delivery_log: { error: "the customer is gone" } });
  expect(sentTo("cms")).toHaveLength(before);
});

test("retail_analytics_a receives the file exactly as sent", async () => {
  const csv = "household,upc\r\nh-1,012\r\n";
  const { json } = await ingest(service, order({ destinations: ["retail_analytics_a"] }));
  const before = sentTo("retailAnalyticsA").length;
  await deliver(service, {
    queue_id: 1,
    event_id: json.event_id,
    channel: "retail_analytics_a",
    transformed_payload: { csv, rows: 1 },
  });
  expect(sentTo("retailAnalyticsA").slice(before)).toMatchObject([{ method: "PUT", body: csv }]);
});

test.each<[what: string, document: Record<string, unknown>, file: string]>([
  ["one text is that text", { content: "a,b\n1,2\n" }, "a,b\n1,2\n"],
  [
    "fields is their names and a row of their values",
    { email_sha256: "h-1", upc: "012", quantity: 2, note: 'a "b", c', tags: ["x"], none: null },
    'email_sha256,upc,quantity,note,tags,none\r\nh-1,012,2,"a ""b"", c","[""x""]",\r\n',
  ],
])("retail_analytics_a receives the file of a document of %s", async (_, document, file) => {
  const before = sentTo("retailAnalyticsA").length;
  const { status } = await deliver(
    service,
    {
      queue_id: 1,
      event_id: randomUUID(),
      channel: "retail_analytics_a",
      transformed_payload: document,
    },
    { query: `?shop=${SHOP}` },
  );
  expect(status).toBe(200);
  expect(sentTo("retailAnalyticsA").slice(before)).toMatchObject([{ method: "PUT", body: file }]);
});

test("the channel's own address and credentials are used, whatever the message names", async () => {
  const { json } = await ingest(service, order({ destinations: ["erpsys"] }));
  await deliver(service, {
    queue_id: 1,
    event_id: json.event_id,
    channel: "erpsys",
    transformed_payload: { Total: "1" },
    delivery_config: {
      method: "DELETE",
      endpoint: "https://elsewhere.example/steal",
      credentials_key: "cms_api_token",
    },
  });
  const sent = sentTo("erp").at(-1);
  expect([sent?.method, sent?.path]).toEqual(["POST", "/A_SalesOrder"]);
  expect(sent?.headers.authorization).toBe(
    `Basic ${Buffer.from("crm:erp-secret-0123456789").toString("base64")}`,
  );
});

test("a message requested six times concurrently is sent once, and all of them answer 200", async () => {
  service.sandbox.failNext("erp", { delayMs: 300 });
  const before = sentTo("erp").length;
  const message = {
    queue_id: 1,
    event_id: randomUUID(),
    channel: "erpsys",
    transformed_payload: { Total: "1" },
  };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => deliver(service, message, { query: `?shop=${SHOP}` })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(sentTo("erp")).toHaveLength(before + 1);
});

test("the circuit opens after five failures, also of a message that is requested concurrently", async () => {
  service.sandbox.failNext("erp", { status: 503 }, Infinity);
  const before = sentTo("erp").length;
  const message = {
    queue_id: 1,
    event_id: randomUUID(),
    channel: "erpsys",
    transformed_payload: { Total: "1" },
  };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => deliver(service, message, { query: `?shop=${SHOP}` })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(502));
  expect(sentTo("erp")).toHaveLength(before + 5);
});

test.each<[what: string, fields: Record<string, unknown>]>([
  ["an event id of the backend's own", { event_id: "Evt:2026.11-28_1" }],
  ["the queue id as text, as database drivers read large ones", { queue_id: "9007199254740991" }],
  ["null for its configuration", { delivery_config: null }],
  [
    "null for each part of its configuration",
    { delivery_config: { method: null, endpoint: null, credentials_key: null } },
  ],
])("a message may have %s", async (_, fields) => {
  const { status, json } = await deliver(
    service,
    {
      queue_id: 1,
      event_id: randomUUID(),
      channel: "data_lake",
      transformed_payload: { a: 1 },
      ...fields,
    },
    { query: `?shop=${SHOP}` },
  );
  expect({ status, ok: json.ok }).toEqual({ status: 200, ok: true });
});

test("an empty message is ignored: the row's own message is built here", async () => {
  const { json } = await ingest(service, order({ destinations: ["erpsys"] }));
  await deliver(service, { queue_id: 1, event_id: json.event_id, channel: "erpsys" });
  expect(bodyOf(sentTo("erp").at(-1)?.body)).toMatchObject({ bukrs: "1000", vkorg: "1010" });
});

test.each([
  ["web_analytics", "analytics"],
  ["profile_platform", "profilePlatform"],
  ["retail_analytics_b", "retailAnalyticsB"],
  ["retail_analytics_a", "retailAnalyticsA"],
] as const)(
  "%s rejects a document with a clear-text email address instead of rewriting it",
  async (channel, system) => {
    const before = sentTo(system).length;
    const { status, json } = await deliver(
      service,
      {
        queue_id: 1,
        event_id: randomUUID(),
        channel,
        transformed_payload: { csv: "a,ann@example.com\r\n", email: "ann@example.com" },
      },
      { query: `?shop=${SHOP}` },
    );
    expect([status, json.delivery_log.error]).toEqual([
      502,
      expect.stringContaining("email address"),
    ]);
    expect(JSON.stringify(json)).not.toContain("ann@");
    expect(sentTo(system)).toHaveLength(before);
  },
);
