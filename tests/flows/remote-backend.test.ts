// With BACKEND_BASE_URL another system runs the queue: events are sent to it, and it calls back for each
// delivery.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { BACKEND_KEY, BACKEND_SECRET, ingest, order, unit } from "../support/bus/events.ts";
import { letRetriesComeDue } from "../support/bus/queue.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;
let seen = 0;
beforeAll(async () => {
  service = await startService({
    background: true,
    env: { BACKEND_API_KEY: BACKEND_KEY, BACKEND_WORKSPACE_ID: "workspace-1" },
    envFrom: ({ addresses }) => ({ BACKEND_BASE_URL: addresses.backendUrl }),
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  service.sandbox.clearFaults();
  seen = service.sandbox.backend.enqueued().length;
  await service.addTenant(SHOP, {
    erp_base_url: service.sandbox.addresses.erpBaseUrl,
    erp_username: "erp",
    erp_password: "erp-password-0123456789",
    erp_defaults: { bukrs: "1000", vkorg: "1000", vtweg: "10" },
    analytics_measurement_id: "G-REMOTE1",
    analytics_api_secret: "analytics-secret-0123456789",
  });
});

const enqueued = () => service.sandbox.backend.enqueued().slice(seen);
const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);

test("an event is sent with the contract's fields and key, and each of its deliveries is requested back", async () => {
  const event = order({ destinations: ["data_lake", "web_analytics"] });
  const { status, json } = await ingest(service, event);
  expect({ status, queued: json.queued, destinations: json.destinations }).toEqual({
    status: 202,
    queued: 2,
    destinations: ["data_lake", "web_analytics"],
  });
  const [sent] = await eventually(
    "the event at the backend",
    () => enqueued().length > 0 && enqueued(),
  );
  expect(sent).toMatchObject({
    workspace: "workspace-1",
    body: {
      event_id: json.event_id,
      source: "manual",
      event_type: "order.created",
      entity_type: "order",
      entity_id: event.entity_id,
      tenant_shop: SHOP,
      payload: event.payload,
      destinations: ["data_lake", "web_analytics"],
      priority: 2,
      timestamp: "2026-11-21T10:00:00Z",
    },
  });
  const log = await eventually("both deliveries", async () => {
    const rows = await query(
      `SELECT channel, status FROM delivery_attempts
        WHERE event_id = $1 AND channel IN ('data_lake', 'web_analytics') ORDER BY channel`,
      [json.event_id],
    );
    return rows.length === 2 && rows;
  });
  expect(log).toEqual([
    { channel: "data_lake", status: "delivered" },
    { channel: "web_analytics", status: "delivered" },
  ]);
});

test.each([
  ["is down", { status: 503 }],
  ["answers null", { status: 200, body: "null" }],
])(
  "a backend that %s loses nothing: the event answers 202 and is sent when the backend is up again",
  async (_, fault) => {
    service.sandbox.failNext("backend", fault);
    const { status, json } = await ingest(service, order({ destinations: ["data_lake"] }));
    expect(status).toBe(202);
    await eventually(
      "the failed call",
      async () =>
        (
          await query(
            "SELECT 1 FROM integration_queue WHERE event_id = $1 AND channel = 'backend' AND retry_count = 1",
            [json.event_id],
          )
        ).length === 1,
    );
    await letRetriesComeDue(service.database, json.event_id);
    await eventually("the event at the backend", () =>
      enqueued().some(({ eventId }) => eventId === json.event_id),
    );
  },
);

test("a backend that confirms with its queue id as text has the event", async () => {
  service.sandbox.failNext("backend", { status: 200, body: '{"ok":true,"queue_id":"77"}' });
  const { json } = await ingest(service, order({ destinations: ["data_lake"] }));
  const row = await eventually("the call", async () => {
    const [found] = await query(
      "SELECT status, last_error FROM integration_queue WHERE event_id = $1 AND (status = 'delivered' OR retry_count > 0)",
      [json.event_id],
    );
    return found;
  });
  expect(row).toEqual({ status: "delivered", last_error: null });
});

test("the backend's status report for its own row is accepted and changes nothing here", async () => {
  const { json } = await ingest(service, order({ destinations: ["data_lake"] }));
  await eventually("the event at the backend", () =>
    enqueued().some(({ eventId }) => eventId === json.event_id),
  );
  const report = (channel: string) =>
    service.call("PATCH", `/events/${json.event_id}/status`, {
      body: { status: "delivered", channel },
      key: null,
      headers: { "x-backend-webhook-secret": BACKEND_SECRET },
    });
  expect(await report("data_lake")).toMatchObject({
    status: 200,
    json: { ok: true, status: "delivered", updated: 0 },
  });
  expect((await report("erpsys")).status).toBe(404);
});

/** The rows of the event once none of those named waits any more. */
const settledRows = (eventId: string, channels: string[]) =>
  eventually("the rows that are delivered here", async () => {
    const rows = await query(
      "SELECT channel, status, payload FROM integration_queue WHERE event_id = $1 ORDER BY channel",
      [eventId],
    );
    const done = rows.filter(({ status }) => status === "delivered").map(({ channel }) => channel);
    return channels.every((channel) => done.includes(channel)) && rows;
  });
const hitsOf = (eventId: string) =>
  service.sandbox.analytics.hits().filter((hit) => JSON.stringify(hit).includes(eventId));

test("while the backend is down an urgent event is pushed to web analytics and archived at once", async () => {
  service.sandbox.failNext("backend", { status: 503 }, Infinity);
  const event = order({ destinations: ["web_analytics", "archive", "erpsys"], priority: 2 });
  const { json } = await ingest(service, event);
  expect(json).toMatchObject({ queued: 3, destinations: event.destinations });
  const rows = await settledRows(json.event_id, ["archive", "web_analytics"]);
  expect(rows).toMatchObject([
    { channel: "archive", payload: event.payload },
    { channel: "backend" },
    { channel: "web_analytics", payload: event.payload },
  ]);
  expect(hitsOf(json.event_id)).toHaveLength(1);
  const day = new Date().toISOString().slice(0, 10);
  const archive = service.ctx.archive.ofStore(SHOP);
  const file = archive.urlOf(`events/archive/${day}/${json.event_id}.json`);
  expect(JSON.parse(readFileSync(fileURLToPath(file), "utf8"))).toMatchObject({
    event_id: json.event_id,
    transformed_payload: event.payload,
  });
});

test("what was pushed at once is not pushed again when the backend asks for it", async () => {
  const { json } = await ingest(
    service,
    order({ destinations: ["web_analytics", "archive"], priority: 1 }),
  );
  await settledRows(json.event_id, ["archive", "backend", "web_analytics"]);
  const [sent] = enqueued();
  expect(sent?.body).toMatchObject({ destinations: ["web_analytics", "archive"] });
  for (const channel of ["web_analytics", "archive"])
    expect(
      await service.call("POST", "/events/deliver", {
        body: {
          queue_id: 1,
          event_id: json.event_id,
          channel,
          transformed_payload: { client_id: "1.1", events: [{ name: "again", params: {} }] },
        },
        key: null,
        headers: { "x-backend-webhook-secret": BACKEND_SECRET },
      }),
    ).toMatchObject({ status: 200, json: { ok: true } });
  expect(hitsOf(json.event_id)).toHaveLength(1);
});

test.each([
  ["of a lower priority", 3, {}],
  ["that is not enabled", 1, { analytics_measurement_id: null }],
  ["of a store whose bus archives only", 1, { event_bus_phase: 3 }],
])("web analytics %s is left to the backend", async (_, priority, config) => {
  await service.call("POST", `/config?shop=${SHOP}`, { body: config });
  const { json } = await ingest(service, order({ destinations: ["web_analytics"], priority }));
  expect(await settledRows(json.event_id, ["backend"])).toMatchObject([{ channel: "backend" }]);
});

test("a returned unit is in its return case here, also when the backend has the event", async () => {
  await ingest(service, unit("unit.returned", { rma_ref: "RMA-1", serial: "SN-1" }));
  const cases = await eventually("the return case", async () => {
    const rows = await query("SELECT rma, units FROM return_cases");
    return rows.length > 0 && rows;
  });
  expect(cases).toMatchObject([{ rma: "RMA-1", units: [{ serial: "SN-1" }] }]);
  await eventually("the event at the backend", () => enqueued().length > 0);
});
