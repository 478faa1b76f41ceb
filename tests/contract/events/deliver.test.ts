import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deliverOnRequest, RequestedDelivery } from "../../../app/domain/bus/deliver-on-request.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { BACKEND_SECRET, deliver, ingest, order } from "../../support/bus/events.ts";
import { openCircuit } from "../../support/bus/queue.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let seen = { erp: 0, analytics: 0, mails: 0 };
// No worker runs: only explicit requests deliver.
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  seen = {
    erp: service.sandbox.erp.documents().length,
    analytics: service.sandbox.analytics.hits().length,
    mails: service.sandbox.email.inbox().length,
  };
  await service.addTenant(SHOP, {
    erp_base_url: service.sandbox.addresses.erpBaseUrl,
    erp_username: "erp",
    erp_password: "erp-password-0123456789",
    erp_defaults: { bukrs: "1000", vkorg: "1000", vtweg: "10" },
  });
  await service.addTenant(OTHER_SHOP);
});

const documents = () => service.sandbox.erp.documents().slice(seen.erp);
const today = () => new Date().toISOString().slice(0, 10);
const archived = (path: string) =>
  JSON.parse(
    readFileSync(fileURLToPath(service.ctx.archive.ofStore(SHOP).urlOf(path)), "utf8"),
  ) as Record<string, unknown>;
const attempts = () =>
  service.database.query(
    "SELECT shop, event_id, channel, status, attempt, error FROM delivery_attempts ORDER BY id",
  );
const message = (fields: Record<string, unknown> = {}) => ({
  queue_id: 1,
  event_id: randomUUID(),
  channel: "data_lake",
  transformed_payload: { a: 1 },
  delivery_config: { method: "POST", endpoint: "/x", credentials_key: null },
  ...fields,
});

async function accepted(destinations: string[]): Promise<{ event_id: string; queue_id: number }> {
  const { json } = await ingest(service, order({ destinations }));
  const [row] = await service.database.query(
    "SELECT min(id)::int AS id FROM integration_queue WHERE event_id = $1",
    [json.event_id],
  );
  return { event_id: json.event_id as string, queue_id: row.id as number };
}

describe("authorization", () => {
  test.each([
    ["the secret header", { "x-backend-webhook-secret": BACKEND_SECRET }],
    ["the bearer form", { Authorization: `Bearer ${BACKEND_SECRET}` }],
  ])("accepts %s", async (_, headers) => {
    expect((await deliver(service, message(), { headers, query: `?shop=${SHOP}` })).status).toBe(
      200,
    );
  });

  test.each<[string, Record<string, string>]>([
    ["nothing", {}],
    ["a wrong secret", { "x-backend-webhook-secret": "wrong-secret-0123456789" }],
    ["the operator's key", { Authorization: "Bearer test-admin-key-0123456789" }],
  ])("rejects %s, and nothing is delivered", async (_, headers) => {
    const { status, json } = await deliver(service, message(), { headers, query: `?shop=${SHOP}` });
    expect({ status, error: json.error }).toEqual({ status: 401, error: "Unauthorized" });
    expect(await attempts()).toEqual([]);
  });

  test("rejects a `shared` store", async () => {
    await service.call("POST", `/config?shop=${SHOP}`, { body: { access_role: "shared" } });
    expect((await deliver(service, message(), { query: `?shop=${SHOP}` })).status).toBe(403);
  });

  test.each([
    ["no event", { event_id: undefined }, "event_id"],
    ["no channel", { channel: undefined }, "channel"],
    ["no queue id", { queue_id: "x" }, "queue_id"],
    ["the dead letters' folder as its channel", { channel: "dead_letter" }, "channel"],
    ["the warehouse's folder as its channel", { channel: "warehouse" }, "channel"],
  ])("a message with %s is rejected with the field's name", async (_, fields, named) => {
    const { status, json } = await deliver(service, message(fields), { query: `?shop=${SHOP}` });
    expect({ status, fields: Object.keys(json.fields) }).toEqual({ status: 400, fields: [named] });
  });
});

describe("a queue row of this service", () => {
  test("is found by its event alone, delivered by its channel, archived and logged", async () => {
    const { event_id, queue_id } = await accepted(["erpsys"]);
    const { status, json } = await deliver(service, { queue_id, event_id, channel: "erpsys" });
    expect({ status, json }).toMatchObject({
      status: 200,
      json: {
        ok: true,
        event_id,
        channel: "erpsys",
        delivery_log: {
          status: "delivered",
          http_status: 201,
          attempt: 1,
          error: null,
          latency_ms: expect.any(Number),
        },
      },
    });
    expect(documents()).toHaveLength(1);
    expect(
      await service.database.query(
        `SELECT status, delivered_at IS NOT NULL AS done, archived_at IS NOT NULL AS filed,
          transformed_payload IS NOT NULL AS kept FROM integration_queue`,
      ),
    ).toEqual([{ status: "delivered", done: true, filed: true, kept: true }]);
    expect(archived(`events/erpsys/${today()}/${event_id}.json`)).toMatchObject({
      queue_id,
      event_id,
      channel: "erpsys",
      tenant_shop: SHOP,
      transformed_payload: expect.any(Object),
      delivery_config: { credentials_key: "erp_password" },
    });
    expect(await attempts()).toEqual([
      { shop: SHOP, event_id, channel: "erpsys", status: "delivered", attempt: 1, error: null },
    ]);
  });

  test("that was delivered answers 200 and is not delivered again", async () => {
    const { event_id, queue_id } = await accepted(["erpsys"]);
    await deliver(service, { queue_id, event_id, channel: "erpsys" });
    const again = await deliver(service, {
      queue_id,
      event_id,
      channel: "erpsys",
      transformed_payload: { other: 1 },
    });
    expect({ status: again.status, ok: again.json.ok }).toEqual({ status: 200, ok: true });
    expect(documents()).toHaveLength(1);
    expect(await attempts()).toHaveLength(1);
  });

  test("requested ten times concurrently is delivered once", async () => {
    const { event_id, queue_id } = await accepted(["erpsys"]);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => deliver(service, { queue_id, event_id, channel: "erpsys" })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(documents()).toHaveLength(1);
  });

  test("that its channel rejects answers 502, uses up an attempt and waits as the retry table says", async () => {
    service.sandbox.failNext("erp", { status: 500 });
    const { event_id, queue_id } = await accepted(["erpsys"]);
    const { status, json } = await deliver(service, { queue_id, event_id, channel: "erpsys" });
    expect({ status, json }).toMatchObject({
      status: 502,
      json: {
        ok: false,
        event_id,
        channel: "erpsys",
        error: "BadGateway",
        delivery_log: { status: "failed", http_status: 500, attempt: 1 },
      },
    });
    const [row] = await service.database.query(
      `SELECT status, retry_count, extract(epoch FROM next_attempt_at - now())::float8 AS due_in
        FROM integration_queue`,
    );
    expect(row).toMatchObject({ status: "pending", retry_count: 1 });
    expect(row.due_in).toBeGreaterThan(28);
    expect(row.due_in).toBeLessThan(34);
  });

  test("is a failed attempt where its system takes longer than its lease, which then still holds", async () => {
    const { event_id, queue_id } = await accepted(["erpsys"]);
    service.sandbox.failNext("erp", { hang: 5_000 });
    const request = RequestedDelivery.parse({ queue_id, event_id, channel: "erpsys" });
    const tenant = await getTenant(service.ctx, SHOP);
    const log = await deliverOnRequest(service.ctx, tenant, request, { attemptMs: 200 });
    service.sandbox.clearFaults();
    expect(log).toMatchObject({ status: "failed", attempt: 1 });
    expect(
      await service.database.query(
        "SELECT status, retry_count, lease_lost, locked_by, last_error FROM integration_queue",
      ),
    ).toEqual([
      {
        status: "pending",
        retry_count: 1,
        lease_lost: 0,
        locked_by: null,
        last_error: "the delivery did not end within 0.2 s",
      },
    ]);
  });

  test("behind an open circuit answers 502 circuit_open and uses up no attempt", async () => {
    const { event_id, queue_id } = await accepted(["erpsys"]);
    await openCircuit(service.database, SHOP, "erpsys");
    const { status, json } = await deliver(service, { queue_id, event_id, channel: "erpsys" });
    expect({ status, ok: json.ok, error: json.error, log: json.delivery_log.error }).toEqual({
      status: 502,
      ok: false,
      error: "circuit_open",
      log: "circuit_open",
    });
    expect(documents()).toEqual([]);
    expect(await attempts()).toEqual([]);
    expect(
      await service.database.query("SELECT status, retry_count FROM integration_queue"),
    ).toEqual([{ status: "pending", retry_count: 0 }]);
  });

  test.each([
    ["", {}],
    [", also with a message of its sender's", { transformed_payload: { a: 1 } }],
  ])("for an unknown destination is archived, and its log says so%s", async (_, sent) => {
    const { event_id, queue_id } = await accepted(["data_lake"]);
    const asked = { queue_id, event_id, channel: "data_lake", ...sent };
    const { status, json } = await deliver(service, asked);
    expect({ status, log: json.delivery_log }).toMatchObject({
      status: 200,
      log: { status: "delivered", error: expect.stringContaining("archived") },
    });
    expect(archived(`events/data_lake/${today()}/${event_id}.json`)).toMatchObject({
      event_id,
      transformed_payload: { total_price: "12.50" },
    });
  });

  test("without anything to send to its channel is archived too, with the reason", async () => {
    await service.call("POST", `/config?shop=${SHOP}`, {
      body: { cms_api_token: "cms-token-0123456789", cms_customers_collection_id: "customers" },
    });
    const {
      json: { event_id },
    } = await ingest(service, {
      event_type: "customer.updated",
      entity_id: "7",
      payload: { email: "nobody@example.com" },
      destinations: ["cms"],
    });
    expect((await deliver(service, { queue_id: 1, event_id, channel: "cms" })).status).toBe(200);
    expect(archived(`events/cms/${today()}/${event_id}.json`)).toMatchObject({
      event_id,
      channel: "cms",
      transformed_payload: { skipped: "no such customer" },
    });
  });

  test.each([
    ["its channel's failure", "BadGateway", "delivery_failed"],
    ["an open circuit", "circuit_open", "circuit_open"],
  ])(
    "blocked because %s answers the usual error with code, message and request id",
    async (_, error, code) => {
      const { event_id, queue_id } = await accepted(["erpsys"]);
      if (code === "circuit_open") await openCircuit(service.database, SHOP, "erpsys");
      else service.sandbox.failNext("erp", { status: 503 });
      const { status, json, headers } = await deliver(service, {
        queue_id,
        event_id,
        channel: "erpsys",
      });
      expect({ status, json }).toMatchObject({
        status: 502,
        json: {
          ok: false,
          event_id,
          channel: "erpsys",
          error,
          code,
          message: expect.stringMatching(/^[A-Z].*\.$/s),
          request_id: headers.get("x-request-id"),
          delivery_log: {},
        },
      });
    },
  );

  test("of another store is not changed by naming its event", async () => {
    const { event_id, queue_id } = await accepted(["erpsys"]);
    await deliver(
      service,
      { queue_id, event_id, channel: "erpsys", transformed_payload: { a: 1 } },
      { query: `?shop=${OTHER_SHOP}` },
    );
    expect(documents()).toEqual([]);
    expect(
      await service.database.query("SELECT status FROM integration_queue WHERE shop = $1", [SHOP]),
    ).toEqual([{ status: "pending" }]);
  });
});

describe("a message without a row (from a remote backend)", () => {
  test("is delivered once, archived and logged; a repetition answers 200", async () => {
    const foreign = message({
      channel: "web_analytics",
      event_id: randomUUID(),
      transformed_payload: { client_id: "1.2", events: [{ name: "crm_sync", params: {} }] },
    });
    expect((await deliver(service, foreign, { query: `?shop=${SHOP}` })).status).toBe(200);
    expect((await deliver(service, foreign, { query: `?shop=${SHOP}` })).status).toBe(200);
    expect(service.sandbox.analytics.hits().slice(seen.analytics)).toHaveLength(1);
    expect(await attempts()).toMatchObject([
      { channel: "web_analytics", status: "delivered", attempt: 1 },
    ]);
    expect(archived(`events/web_analytics/${today()}/${foreign.event_id}.json`)).toMatchObject({
      queue_id: 1,
    });
  });

  test("behind an open circuit answers 502 circuit_open, and nothing is sent or logged", async () => {
    await openCircuit(service.database, SHOP, "web_analytics");
    const foreign = message({ channel: "web_analytics" });
    const { status, json } = await deliver(service, foreign, { query: `?shop=${SHOP}` });
    expect({ status, error: json.error }).toEqual({ status: 502, error: "circuit_open" });
    expect(service.sandbox.analytics.hits().slice(seen.analytics)).toEqual([]);
    expect(await attempts()).toEqual([]);
  });

  test("accepts an event id that is any kind of UUID", async () => {
    expect(
      (
        await deliver(service, message({ event_id: "11111111-1111-1111-1111-111111111111" }), {
          query: `?shop=${SHOP}`,
        })
      ).status,
    ).toBe(200);
  });

  test("that fails answers 502, counts for the circuit and may be repeated: its sender counts the attempts", async () => {
    service.sandbox.failNext("analytics", { status: 503 });
    const foreign = message({
      channel: "web_analytics",
      transformed_payload: { client_id: "1.2", events: [{ name: "crm_sync", params: {} }] },
    });
    expect((await deliver(service, foreign, { query: `?shop=${SHOP}` })).status).toBe(502);
    const circuit = "SELECT value->'failures' AS n FROM kv WHERE key = 'circuit:web_analytics'";
    expect(await service.database.query(circuit)).toEqual([{ n: 1 }]);
    expect(
      (await deliver(service, foreign, { query: `?shop=${SHOP}` })).json.delivery_log,
    ).toMatchObject({ status: "delivered", attempt: 2 });
  });

  test("for an unknown channel is archived and answers ok", async () => {
    const { status, json } = await deliver(service, message(), { query: `?shop=${SHOP}` });
    expect({ status, ok: json.ok, error: json.delivery_log.error }).toEqual({
      status: 200,
      ok: true,
      error: expect.stringContaining("archived"),
    });
  });

  test("of a warehouse event reaches no marketing system, from any source", async () => {
    const unit = { event_type: "unit.packed", payload: { serial: "SN-1" } };
    const { json: sent } = await ingest(service, unit);
    const hit = { client_id: "1.2", events: [{ name: "crm_sync", params: {} }] };
    const fields = { channel: "web_analytics", event_id: sent.event_id, transformed_payload: hit };
    const { json } = await deliver(service, message(fields), { query: `?shop=${SHOP}` });
    expect(json.delivery_log.error).toContain("archived only");
    expect(service.sandbox.analytics.hits().slice(seen.analytics)).toEqual([]);
  });

  test("reaches none of the channels internal to the service", async () => {
    await deliver(
      service,
      message({ channel: "email", transformed_payload: { template: "welcome", user_id: 1 } }),
      { query: `?shop=${SHOP}` },
    );
    expect(service.sandbox.email.inbox().slice(seen.mails)).toEqual([]);
  });

  test("without content answers 400 that names the field, and is not counted as delivered", async () => {
    const { status, json } = await deliver(service, message({ transformed_payload: {} }), {
      query: `?shop=${SHOP}`,
    });
    expect([status, json.code, Object.keys(json.fields)]).toEqual([
      400,
      "invalid_request",
      ["transformed_payload"],
    ]);
    expect(await attempts()).toEqual([]);
  });

  test("of an unknown event without a store answers an error that asks for the store", async () => {
    expect((await deliver(service, message())).json.code).toBe("tenant_required");
  });
});

test("an event is found by its source's id, also in capitals", async () => {
  const event_id = randomUUID().toUpperCase();
  await ingest(service, order({ event_id, destinations: ["erpsys", "data_lake"] }));
  expect(
    (await deliver(service, { queue_id: 1, event_id, channel: "erpsys" })).json.delivery_log.status,
  ).toBe("delivered");
  expect(
    (
      await service.call("PATCH", `/events/${event_id}/status`, {
        body: { status: "delivered" },
        key: null,
        headers: { "x-backend-webhook-secret": BACKEND_SECRET },
      })
    ).json.updated,
  ).toBe(1);
  await service.database.query(
    "UPDATE integration_queue SET status = 'dead_letter', dead_lettered_at = now()",
  );
  expect(
    (
      await service.call("POST", `/admin/events/replay?shop=${SHOP}`, {
        body: { event_ids: [event_id] },
      })
    ).json,
  ).toEqual({ ok: true, requeued: 2, not_found: [] });
});

describe("a reported status", () => {
  const report = (
    id: string,
    body: object,
    headers: Record<string, string> = { "x-backend-webhook-secret": BACKEND_SECRET },
  ) => service.call("PATCH", `/events/${id}/status`, { body, key: null, headers });
  const states = () =>
    service.database.query(
      "SELECT channel, status, retry_count, last_error FROM integration_queue ORDER BY channel",
    );

  test("delivered settles the event's rows of one channel or all", async () => {
    const { event_id } = await accepted(["erpsys", "data_lake"]);
    expect((await report(event_id, { status: "delivered", channel: "erpsys" })).json).toMatchObject(
      { ok: true, event_id, status: "delivered", updated: 1 },
    );
    expect((await states()).map(({ status }) => status)).toEqual(["pending", "delivered"]);
    const ofEveryChannel = { status: "delivered", channel: null, error: null };
    expect((await report(event_id, ofEveryChannel)).json.updated).toBe(1);
  });

  test("failed counts as a failed delivery: it uses up an attempt, and the last one makes a dead letter", async () => {
    const { event_id } = await accepted(["erpsys"]);
    for (let n = 0; n < 4; n += 1)
      expect((await report(event_id, { status: "failed", error: "no such plant" })).status).toBe(
        200,
      );
    expect(await states()).toEqual([
      { channel: "erpsys", status: "dead_letter", retry_count: 4, last_error: "no such plant" },
    ]);
    const circuit = "SELECT value->'failures' AS n FROM kv WHERE key = 'circuit:erpsys'";
    expect(await service.database.query(circuit)).toEqual([{ n: 4 }]);
  });

  test.each<[string, object, Record<string, string> | undefined, number]>([
    ["another status", { status: "lost" }, undefined, 400],
    ["no secret", { status: "delivered" }, {}, 401],
  ])("%s is rejected and changes nothing", async (_, body, headers, status) => {
    const { event_id } = await accepted(["erpsys"]);
    expect((await report(event_id, body, headers)).status).toBe(status);
    expect((await states()).map((row) => row.status)).toEqual(["pending"]);
  });

  test("of an unknown event answers 404", async () => {
    expect(
      (
        await service.call("PATCH", `/events/${randomUUID()}/status?shop=${SHOP}`, {
          body: { status: "delivered" },
          key: null,
          headers: { "x-backend-webhook-secret": BACKEND_SECRET },
        })
      ).status,
    ).toBe(404);
  });
});
