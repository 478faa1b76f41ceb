import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  BACKEND_KEY,
  BACKEND_SECRET,
  ingest,
  order,
  TENANT_KEY,
} from "../../support/bus/events.ts";
import { openCircuit } from "../../support/bus/queue.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { BACKEND_API_KEY: BACKEND_KEY } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, {
    admin_key: TENANT_KEY,
    erp_base_url: service.sandbox.addresses.erpBaseUrl,
  });
  await service.addTenant(OTHER_SHOP);
});

const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);
const kill = (eventId: string, channel = "erpsys") =>
  query(
    `UPDATE integration_queue SET status = 'dead_letter',
      dead_lettered_at = now() - interval '2 hours', retry_count = 4, last_error = 'no such plant'
      WHERE event_id = $1 AND channel = $2`,
    [eventId, channel],
  );
const accept = async (fields: Record<string, unknown> = {}, shop = SHOP) =>
  (await ingest(service, order(fields), { shop })).json.event_id as string;
const fail = (eventId: string) =>
  service.call("PATCH", `/events/${eventId}/status`, {
    body: { status: "failed", channel: "erpsys" },
    key: null,
    headers: { "x-backend-webhook-secret": BACKEND_SECRET },
  });

const ADMIN_ROUTES: [method: string, path: string, body?: object][] = [
  ["GET", "/admin/events/status"],
  ["GET", "/admin/events/log"],
  ["POST", "/admin/events/replay", { event_ids: ["x"] }],
  ["GET", "/admin/destinations"],
  ["PUT", "/admin/destinations", {}],
  ["POST", "/admin/destinations/cms/probe"],
];

describe.each(ADMIN_ROUTES)("%s %s", (method, path, body) => {
  const call = (options: { shop?: string; key?: string | null } = {}) =>
    service.call(method, `${path}?shop=${options.shop ?? SHOP}`, {
      ...(body !== undefined && { body }),
      ...(options.key !== undefined && { key: options.key }),
    });

  test("accepts the store's own key and the operator's", async () => {
    expect((await call({ key: TENANT_KEY })).status).toBe(200);
    expect((await call()).status).toBe(200);
  });
  test.each([
    ["nobody", null, SHOP, 401],
    ["another store's key", TENANT_KEY, OTHER_SHOP, 401],
  ])("rejects %s", async (_, key, shop, status) => {
    expect((await call({ key, shop })).status).toBe(status);
  });
  test("rejects a `shared` store with every key", async () => {
    await service.call("POST", `/config?shop=${OTHER_SHOP}`, { body: { access_role: "shared" } });
    expect((await call({ shop: OTHER_SHOP })).status).toBe(403);
  });
  test.runIf(body)("rejects a `shared` store before it reads the body", async () => {
    await service.call("POST", `/config?shop=${OTHER_SHOP}`, { body: { access_role: "shared" } });
    const target = `${path}?shop=${OTHER_SHOP}`;
    expect(
      (await service.call(method, target, { body: { event_ids: [], event_routes: 1 } })).status,
    ).toBe(403);
  });
});

describe("the status", () => {
  const status = async (shop = SHOP) =>
    (await service.call("GET", `/admin/events/status?shop=${shop}`)).json;

  test("of a store without events lists every channel, closed and empty", async () => {
    const { channels, dead_letter, throughput, waiting } = await status();
    expect(waiting).toEqual({});
    for (const name of [
      "erpsys",
      "retail_analytics_a",
      "retail_analytics_b",
      "web_analytics",
      "profile_platform",
      "cms",
    ])
      expect(channels[name]).toEqual({
        circuit: "closed",
        last_24h: { delivered: 0, failed: 0, pending: 0 },
      });
    expect({ dead_letter, throughput }).toEqual({
      dead_letter: { count: 0, oldest: null },
      throughput: { events_per_minute: 0, avg_latency_ms: 0 },
    });
  });

  test("counts delivered, failed, pending and dead rows, per channel and of this store only", async () => {
    const [first, second] = [await accept(), await accept()];
    await accept({}, OTHER_SHOP);
    await service.call("PATCH", `/events/${first}/status`, {
      body: { status: "delivered" },
      key: null,
      headers: { "x-backend-webhook-secret": BACKEND_SECRET },
    });
    await fail(second);
    // Nothing was sent: the rows are `delivered` all the same, as in the log.
    await query(
      `INSERT INTO channel_minutes (shop, channel, minute, delivered, failed, skipped, latency_ms_sum)
        VALUES ($1, 'web_analytics', now() - interval '1 minute', 0, 0, 9, 0)`,
      [SHOP],
    );
    const dead = await accept({ destinations: ["data_lake"] });
    await kill(dead, "data_lake");
    await openCircuit(service.database, SHOP, "erpsys");
    const { channels, dead_letter, throughput, waiting } = await status();
    expect(Object.keys(waiting)).toEqual(["erpsys", "web_analytics"]);
    expect(new Date(waiting.erpsys.circuit_open_until).getTime()).toBeGreaterThan(Date.now());
    expect(waiting.web_analytics).toEqual({
      next_attempt_at: expect.stringMatching(/Z$/),
      circuit_open_until: null,
    });
    expect(channels.erpsys).toEqual({
      circuit: "open",
      last_24h: { delivered: 1, failed: 1, pending: 1 },
    });
    expect(channels.web_analytics).toEqual({
      circuit: "closed",
      last_24h: { delivered: 10, failed: 0, pending: 1 },
    });
    expect(dead_letter.count).toBe(1);
    expect(Date.now() - new Date(dead_letter.oldest).getTime()).toBeGreaterThan(7_000_000);
    expect(throughput.events_per_minute).toBeGreaterThan(0);
    expect((await status(OTHER_SHOP)).channels.web_analytics).toEqual({
      circuit: "closed",
      last_24h: { delivered: 0, failed: 0, pending: 1 },
    });
  });

  test("counts a delivery to an unknown channel, which is archived, as the log does", async () => {
    const eventId = await accept({ destinations: ["data_lake"] });
    const [row] = await service.database.query<{ id: string }>(
      "SELECT id FROM integration_queue WHERE event_id = $1",
      [eventId],
    );
    const { json } = await service.call("POST", `/events/deliver?shop=${SHOP}`, {
      body: { queue_id: Number(row?.id), event_id: eventId, channel: "data_lake" },
      key: null,
      headers: { "x-backend-webhook-secret": BACKEND_SECRET },
    });
    expect(json).toMatchObject({ ok: true, delivery_log: { status: "delivered" } });
    const { channels, throughput } = await status();
    expect(channels.data_lake.last_24h).toEqual({ delivered: 1, failed: 0, pending: 0 });
    expect(throughput.events_per_minute).toBeGreaterThan(0);
  });

  test("omits what is older than a day", async () => {
    await fail(await accept());
    await query("UPDATE channel_minutes SET minute = minute - interval '25 hours'");
    expect((await status()).channels.erpsys.last_24h.failed).toBe(0);
  });
});

describe("a replay", () => {
  const replay = async (event_ids: string[], shop = SHOP) =>
    (await service.call("POST", `/admin/events/replay?shop=${shop}`, { body: { event_ids } })).json;

  test("requeues dead letters with all their attempts, and names unknown ids", async () => {
    const [dead, alive, unknown] = [await accept(), await accept(), randomUUID()];
    await kill(dead);
    expect(await replay([dead, alive, unknown])).toEqual({
      ok: true,
      requeued: 1,
      not_found: [unknown],
    });
    expect(
      await query(
        `SELECT status, retry_count, sweep_count, next_attempt_at <= now() AS is_due
          FROM integration_queue WHERE event_id = $1 AND channel = 'erpsys'`,
        [dead],
      ),
    ).toEqual([{ status: "pending", retry_count: 0, sweep_count: 0, is_due: true }]);
  });

  test("twice concurrently requeues each once", async () => {
    const dead = await accept();
    await kill(dead);
    const answers = await Promise.all([replay([dead]), replay([dead]), replay([dead])]);
    expect(answers.map(({ requeued }) => requeued as number).sort((a, b) => a - b)).toEqual([
      0, 0, 1,
    ]);
  });

  test("does not reach another store's dead letters", async () => {
    const dead = await accept({}, OTHER_SHOP);
    await kill(dead, "web_analytics");
    expect(await replay([dead])).toEqual({ ok: true, requeued: 0, not_found: [dead] });
    expect(await query("SELECT status FROM integration_queue WHERE event_id = $1", [dead])).toEqual(
      [{ status: "dead_letter" }],
    );
  });

  test.each([[{}], [{ event_ids: [] }], [{ event_ids: "x" }]])(
    "with %j is rejected",
    async (body) => {
      expect(
        (await service.call("POST", `/admin/events/replay?shop=${SHOP}`, { body })).status,
      ).toBe(400);
    },
  );
});

describe("destinations", () => {
  const put = (body: object) =>
    service.call("PUT", `/admin/destinations?shop=${SHOP}`, { body, key: TENANT_KEY });

  test("list the routes and every channel; a PUT changes only the fields it names, null restores the default", async () => {
    const routes = [{ event_type: "order.*", channels: ["archive"], priority: 1 }];
    expect((await put({ event_routes: routes })).json).toMatchObject({
      event_routes: routes,
      enabled_channels: null,
    });
    expect((await put({ enabled_channels: ["cms"] })).json).toMatchObject({
      event_routes: routes,
      enabled_channels: ["cms"],
    });
    const { json } = await put({ event_routes: null });
    expect(json).toMatchObject({ event_routes: [], enabled_channels: ["cms"] });
    const enabled = Object.fromEntries(
      (json.channels as { name: string; enabled: boolean }[]).map((channel) => [
        channel.name,
        channel.enabled,
      ]),
    );
    expect(enabled).toMatchObject({
      cms: true,
      erpsys: false,
      web_analytics: false,
      archive: true,
      backend: true,
    });
    expect(enabled).not.toHaveProperty("email");
  });

  test.each([
    [{ event_routes: [{ event_type: "", channels: ["cms"] }] }],
    [{ event_routes: [{ event_type: "a", channels: [] }] }],
    [{ enabled_channels: ["Not A Name"] }],
    [{ enabled_channels: "cms" }],
  ])("reject %j and keep the stored values", async (body) => {
    await put({ enabled_channels: ["cms"] });
    expect((await put(body)).status).toBe(400);
    expect((await service.call("GET", `/admin/destinations?shop=${SHOP}`)).json).toMatchObject({
      enabled_channels: ["cms"],
      event_routes: [],
    });
  });

  test("that are unknown, or internal to the service, cannot be tested", async () => {
    for (const name of ["data_lake", "email"])
      expect(
        (await service.call("POST", `/admin/destinations/${name}/probe?shop=${SHOP}`)).status,
      ).toBe(404);
  });
});

describe("the built-in backend for other deployments (POST /integration-enqueue)", () => {
  const enqueue = (body: object, key: string | null = BACKEND_KEY) =>
    service.call("POST", "/integration-enqueue", { body, key });
  const event = (fields: object = {}) => ({
    ...order(),
    event_id: randomUUID(),
    source: "erpsys",
    entity_type: "order",
    tenant_shop: SHOP,
    destinations: ["erpsys", "data_lake"],
    priority: 1,
    ...fields,
  });

  test("stores an event normalised elsewhere and returns its lowest queue id", async () => {
    const sent = event();
    const { status, json } = await enqueue(sent);
    const rows = await query(
      "SELECT id::int AS id, shop, channel, source, priority FROM integration_queue ORDER BY id",
    );
    expect({ status, json }).toEqual({ status: 200, json: { ok: true, queue_id: rows[0].id } });
    expect(rows).toMatchObject([
      { shop: SHOP, channel: "erpsys", source: "erpsys", priority: 1 },
      { channel: "data_lake" },
    ]);
  });

  test("refuses an event of another store than the one that the request names, and stores nothing", async () => {
    const { status, json } = await service.call("POST", `/integration-enqueue?shop=${OTHER_SHOP}`, {
      body: event(),
      key: BACKEND_KEY,
    });
    expect([status, json.code, Object.keys(json.fields)]).toEqual([
      400,
      "invalid_request",
      ["tenant_shop"],
    ]);
    expect(await query("SELECT id FROM integration_queue")).toEqual([]);
  });

  test("returns the first queue id for a repeated event and adds nothing", async () => {
    const sent = event();
    const first = await enqueue(sent);
    expect(
      (await enqueue({ ...sent, timestamp: "2026-11-21T11:00:00Z", destinations: ["cms"] })).json,
    ).toEqual(first.json);
    expect(await query("SELECT 1 FROM integration_queue")).toHaveLength(2);
  });

  test.each<[string, object, string | null, number]>([
    ["no key", {}, null, 401],
    ["the operator's key", {}, "test-admin-key-0123456789", 401],
    ["an unknown store", { tenant_shop: "nobody.myshopify.com" }, BACKEND_KEY, 404],
    ["no store", { tenant_shop: undefined }, BACKEND_KEY, 400],
    ["no event id", { event_id: undefined }, BACKEND_KEY, 400],
  ])("rejects %s", async (_, fields, key, status) => {
    expect((await enqueue(event(fields), key)).status).toBe(status);
    expect(await query("SELECT 1 FROM integration_queue")).toEqual([]);
  });
});
