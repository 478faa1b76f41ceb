// The scheduled run deletes what a store keeps no longer: rows and archived objects, store by store.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TENANT_STEPS } from "../../app/domain/scheduled-run/steps.ts";
import { runScheduledNow } from "../../app/domain/scheduled-run/scheduled-run.ts";
import { saveTenantConfig } from "../../app/domain/tenants/settings/configuration.ts";
import { startService, type Service } from "../support/service.ts";

let service: Service;
let count = 0;
/** New stores for each test: a store's retention is applied once a day. */
let shop: string;
let other: string;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  count += 1;
  shop = `kept-store-${count}.myshopify.com`;
  other = `other-kept-store-${count}.myshopify.com`;
  for (const name of [shop, other]) await service.addTenant(name);
});

const STEPS = TENANT_STEPS.filter(({ name }) => name.endsWith("retention"));
const run = () => runScheduledNow(service.ctx, { steps: STEPS });

const queueRow = (
  store: string,
  id: string,
  days: number,
  status = "delivered",
  isArchived = true,
) =>
  service.database.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, max_retries, status, created_at, archived_at, is_sweepable)
      VALUES ($1, $2, 'cms', 'manual', 't', 'order', '1', 3, $3, now() - make_interval(days => $4),
      CASE WHEN $5 THEN now() END, false)`,
    [store, id, status, days, isArchived],
  );
const attempt = (store: string, id: string, days: number) =>
  service.database.query(
    `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms,
      created_at) VALUES ($1, 1, $2, 'cms', 1, 'delivered', 1, now() - make_interval(days => $3))`,
    [store, id, days],
  );
const webhook = (store: string, id: string, days: number, status = "done") =>
  service.database.query(
    `INSERT INTO webhook_inbox (shop, delivery_id, topic, body, status, received_at, next_attempt_at)
      VALUES ($1, $2, 'customers/update', '{}', $3, now() - make_interval(days => $4),
        now() + interval '1 day')`,
    [store, id, status, days],
  );
const tagRun = (store: string, days: number, state = "done") =>
  service.database.query(
    `INSERT INTO tag_runs (shop, id, add, remove, state, total, last_id, created_at, finished_at)
      VALUES ($1, gen_random_uuid(), '{vip}', '{}', $2, 1, 1, now() - make_interval(days => $3),
        CASE WHEN $2 = 'done' THEN now() - make_interval(days => $3) END)`,
    [store, state, days],
  );
const privacyRequest = async (store: string, days: number, state = "done"): Promise<number> => {
  const [row] = await service.database.query<{ id: number }>(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, state, received_at, due_by, completed_at)
      VALUES ($1, 'data_request', gen_random_uuid()::text, $2, now() - make_interval(days => $3),
        now() - make_interval(days => $3), CASE WHEN $2 IN ('done', 'retained')
        THEN now() - make_interval(days => $3) END) RETURNING id`,
    [store, state, days],
  );
  return row?.id as number;
};
const mandate = (store: string, days: number, reservations = 0) =>
  service.database.query(
    `INSERT INTO mandates (shop, mandate_id, customer_id, max_amount, currency, scope, signature, proof,
      agent_clients, reservations, expires_at) VALUES ($1, gen_random_uuid(), 1, 1, 'EUR', 'all', 's', 'p', '{}',
      $3, now() - make_interval(days => $2))`,
    [store, days, reservations],
  );
const grant = (store: string, days: number | null) =>
  service.database.query(
    `INSERT INTO oauth_grants (shop, id, user_id, client_id, client_name, scopes, ended_at)
      VALUES ($1, gen_random_uuid(), 1, 'c', 'c', '{}', now() - make_interval(days => $2))`,
    [store, days],
  );
const access = (store: string, id: string, days: number) =>
  service.database.query(
    `INSERT INTO access_log (shop, actor_kind, action, place, request_id, created_at)
      VALUES ($1, 'staff', 'viewed', '/', $2, now() - make_interval(days => $3))`,
    [store, id, days],
  );
const agentCall = (store: string, code: string, days: number) =>
  service.database.query(
    `INSERT INTO agent_activity (shop, started_at, operation, outcome, code, last_at)
      VALUES ($1, now() - make_interval(days => $3), 'get_order', 'refused', $2, now())`,
    [store, code, days],
  );
const idsOf = async (table: string, store: string, column = "event_id") =>
  (
    await service.database.query(
      `SELECT ${column} AS name FROM ${table} WHERE shop = $1 ORDER BY 1`,
      [store],
    )
  ).map(({ name }) => name);
const rowsOf = async (table: string, store: string) =>
  (await service.database.query(`SELECT 1 FROM ${table} WHERE shop = $1`, [store])).length;

const dayOf = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const message = (store: string, folder: string, days: number) =>
  service.objects.put(`${store}/events/${folder}/${dayOf(days)}/e.json`, "{}");
const objectsOf = async (store: string) =>
  (await service.objects.list(`${store}/`)).map((path) => path.slice(store.length + 1));

describe("a store without settings of its own", () => {
  it("loses delivered and archived events after 30 days; pending, dead and unarchived ones stay at any age", async () => {
    await queueRow(shop, "old", 31);
    await queueRow(shop, "young", 29);
    await queueRow(shop, "waiting", 400, "pending");
    await queueRow(shop, "dead", 400, "dead_letter");
    await queueRow(shop, "unarchived", 400, "delivered", false);
    await run();
    expect(await idsOf("integration_queue", shop)).toEqual([
      "dead",
      "unarchived",
      "waiting",
      "young",
    ]);
  });

  it("loses old attempts and processed webhooks; a waiting webhook stays", async () => {
    await attempt(shop, "old", 31);
    await attempt(shop, "young", 29);
    await webhook(shop, "old", 31);
    await webhook(shop, "failed", 31, "failed");
    await webhook(shop, "waiting", 31, "pending");
    await webhook(shop, "young", 29);
    await run();
    expect(await idsOf("delivery_attempts", shop)).toEqual(["young"]);
    expect(await idsOf("webhook_inbox", shop, "delivery_id")).toEqual(["waiting", "young"]);
  });

  it("loses the customers whom a bulk change refused after the days of finished ones", async () => {
    for (const [user, days] of [
      [1, 91],
      [2, 89],
    ])
      await service.database.query(
        `INSERT INTO tag_run_refusals (shop, run_id, user_id, reason, created_at)
          VALUES ($1, gen_random_uuid(), $2, 'too_many_tags', now() - make_interval(days => $3))`,
        [shop, user, days],
      );
    await run();
    expect(await idsOf("tag_run_refusals", shop, "user_id")).toEqual([2]);
  });

  it("loses ended tag runs after 90 days and finished privacy requests after three years; unfinished ones stay", async () => {
    for (const state of ["done", "failed", "cancelled"]) await tagRun(shop, 91, state);
    await tagRun(shop, 89);
    await tagRun(shop, 400, "running");
    await privacyRequest(shop, 1_096);
    const kept = [
      await privacyRequest(shop, 1_094),
      await privacyRequest(shop, 2_000, "failed"),
      await privacyRequest(shop, 2_000, "received"),
    ];
    await run();
    expect(await rowsOf("tag_runs", shop)).toBe(2);
    expect(await idsOf("privacy_requests", shop, "id")).toEqual(kept);
  });

  it("loses accesses after a year, or when its setting says", async () => {
    for (const [store, days] of [
      [shop, 364],
      [shop, 366],
      [other, 89],
      [other, 91],
    ] as const)
      await access(store, `${days} days`, days);
    await saveTenantConfig(
      service.ctx,
      other,
      { access_log_retention_days: 90 },
      { by: "operator" },
    );
    await run();
    expect(await idsOf("access_log", shop, "request_id")).toEqual(["364 days"]);
    expect(await idsOf("access_log", other, "request_id")).toEqual(["89 days"]);
  });

  it("loses the agents' calls after 90 days, or when its setting says", async () => {
    for (const [store, days] of [
      [shop, 89],
      [shop, 91],
      [other, 6],
      [other, 8],
    ] as const)
      await agentCall(store, `${days} days`, days);
    await saveTenantConfig(
      service.ctx,
      other,
      { agent_activity_retention_days: 7 },
      { by: "operator" },
    );
    await run();
    expect(await idsOf("agent_activity", shop, "code")).toEqual(["89 days"]);
    expect(await idsOf("agent_activity", other, "code")).toEqual(["6 days"]);
  });

  it("loses mandates 400 days after they expired, unless a checkout still holds one, and grants 400 days after they ended", async () => {
    await mandate(shop, 401);
    await mandate(shop, 401, 1);
    await mandate(shop, 399);
    await grant(shop, 401);
    await grant(shop, 399);
    await grant(shop, null);
    await run();
    expect([await rowsOf("mandates", shop), await rowsOf("oauth_grants", shop)]).toEqual([2, 2]);
  });

  it("loses archived messages of days that are more than a year old, in every channel, and their folders", async () => {
    for (const folder of ["cms", "dead_letter", "warehouse"])
      for (const days of [400, 366, 365, 1]) await message(shop, folder, days);
    await service.objects.put(`${shop}/events/cms/notes/e.json`, "{}");
    await service.objects.put(`${shop}/consent/checkpoints/${shop}/000000000001.json`, "{}");
    await run();
    expect(await objectsOf(shop)).toEqual(
      [
        `consent/checkpoints/${shop}/000000000001.json`,
        "events/cms/notes/e.json",
        ...["cms", "dead_letter", "warehouse"].flatMap((folder) =>
          [365, 1].map((days) => `events/${folder}/${dayOf(days)}/e.json`),
        ),
      ].toSorted(),
    );
    expect(await service.ctx.archive.ofStore(shop).folders("events/warehouse/")).toHaveLength(2);
  });

  it("loses exports 30 days after their request; one in work, one that still waits to be handed over, and a young one stay", async () => {
    const put = (id: number) => service.objects.put(`${shop}/gdpr/${shop}/${id}.json`, "{}");
    const old = await privacyRequest(shop, 31);
    const young = await privacyRequest(shop, 29);
    const running = await privacyRequest(shop, 31, "running");
    const failed = await privacyRequest(shop, 31, "failed");
    for (const id of [old, young, running, failed, 999_999]) await put(id);
    await run();
    expect(await objectsOf(shop)).toEqual(
      [young, running, failed].map((id) => `gdpr/${shop}/${id}.json`).toSorted(),
    );
    expect(await rowsOf("privacy_requests", shop)).toBe(4);
  });
});

describe("two stores", () => {
  it("keep what their own settings say", async () => {
    await saveTenantConfig(
      service.ctx,
      shop,
      { event_log_retention_days: 7, archive_retention_days: 30, tag_run_retention_days: 10 },
      { by: "operator" },
    );
    await saveTenantConfig(
      service.ctx,
      other,
      { event_log_retention_days: 300 },
      { by: "operator" },
    );
    for (const store of [shop, other]) {
      await queueRow(store, "8 days", 8);
      await queueRow(store, "31 days", 31);
      await queueRow(store, "301 days", 301);
      await message(store, "cms", 31);
      await message(store, "cms", 29);
      await tagRun(store, 11);
    }
    await run();
    expect(await idsOf("integration_queue", shop)).toEqual([]);
    expect(await idsOf("integration_queue", other)).toEqual(["31 days", "8 days"]);
    expect(await objectsOf(shop)).toEqual([`events/cms/${dayOf(29)}/e.json`]);
    expect(await objectsOf(other)).toHaveLength(2);
    expect([await rowsOf("tag_runs", shop), await rowsOf("tag_runs", other)]).toEqual([0, 1]);
  });

  it("do not wait for each other: an error in one store is reported and the other's data goes", async () => {
    await message(shop, "cms", 400);
    await queueRow(shop, "old", 31);
    await message(other, "cms", 400);
    await queueRow(other, "old", 31);
    await service.database.query(
      `UPDATE kv SET value = value || '{"region": "gone"}', version = version + 1 WHERE key = $1`,
      [`tenant:${shop}`],
    );
    const report = await run();
    expect(report.errors.filter((error) => error.shop === shop).length).toBeGreaterThan(0);
    expect(report.errors.filter((error) => error.shop !== shop)).toEqual([]);
    expect(await idsOf("integration_queue", other)).toEqual([]);
    expect(await objectsOf(other)).toEqual([]);
    expect(await idsOf("integration_queue", shop)).toEqual(["old"]);
    await service.database.query(
      `UPDATE kv SET value = value - 'region', version = version + 1 WHERE key = $1`,
      [`tenant:${shop}`],
    );
    await run();
    expect([await rowsOf("integration_queue", shop), await objectsOf(shop)]).toEqual([0, []]);
  });
});

it("an archive that fails keeps no row, and is tried again by the next run", async () => {
  // A file in the place of the folder.
  await service.objects.put(`${shop}/events`, "x");
  await queueRow(shop, "old", 31);
  await message(other, "cms", 400);
  expect((await run()).errors).toEqual([
    {
      shop,
      step: "archive_retention",
      message: expect.stringContaining("ENOTDIR"),
      system: "archive",
    },
  ]);
  expect(await idsOf("integration_queue", shop)).toEqual([]);
  expect(await objectsOf(other)).toEqual([]);
  await service.objects.remove(`${shop}/events`);
  await message(shop, "cms", 400);
  expect((await run()).errors).toEqual([]);
  expect(await objectsOf(shop)).toEqual([]);
});

describe("a repeated run", () => {
  it("does nothing more within a day, and works at once after a setting changed", async () => {
    await queueRow(shop, "old", 31);
    await queueRow(shop, "young", 20);
    expect((await run()).steps.retention).toMatchObject({ counts: { integration_queue: 1 } });
    const again = await run();
    expect(again.steps).toMatchObject({
      retention: { done: 0, failed: 0, counts: {} },
      archive_retention: { done: 0, failed: 0, counts: {} },
    });
    await saveTenantConfig(service.ctx, shop, { event_log_retention_days: 10 }, { by: "operator" });
    expect((await run()).steps.retention).toMatchObject({
      done: 1,
      counts: { integration_queue: 1 },
    });
    expect(await idsOf("integration_queue", shop)).toEqual([]);
  });

  it("continues one that was stopped", async () => {
    await service.database.query(
      `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms,
        created_at) SELECT $1, n, n::text, 'cms', 1, 'delivered', 1, now() - interval '31 days'
        FROM generate_series(1, 9000) n`,
      [shop],
    );
    const stop = new AbortController();
    const [rows] = STEPS;
    await runScheduledNow(service.ctx, {
      signal: stop.signal,
      steps: [
        {
          name: "stopped",
          run: (ctx, tenant, signal, archive) => {
            if (tenant.shop === shop) stop.abort();
            return rows?.run(ctx, tenant, signal, archive) ?? Promise.resolve("skipped");
          },
        },
      ],
    });
    expect(await rowsOf("delivery_attempts", shop)).toBe(9_000);
    await run();
    expect(await rowsOf("delivery_attempts", shop)).toBe(0);
  });

  it("deletes old rows behind thousands of kept ones", async () => {
    await service.database.query(
      `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
        entity_id, max_retries, status, created_at, archived_at, is_sweepable)
        SELECT $1, n::text, 'cms', 'manual', 't', 'order', '1', 3,
          CASE WHEN n <= 5000 THEN 'dead_letter' ELSE 'delivered' END, now() - interval '31 days',
          now(), false FROM generate_series(1, 5100) n`,
      [shop],
    );
    await run();
    expect(await rowsOf("integration_queue", shop)).toBe(5_000);
  });
});

it("the requests to delete whole stores are kept for three years", async () => {
  await service.database.query("DELETE FROM kv WHERE key = 'retention:rows' AND shop = '*'");
  await privacyRequest("*", 1_096);
  const young = await privacyRequest("*", 1_094);
  const report = await run();
  expect(report.forgotten_rows).toBe(1);
  expect(await idsOf("privacy_requests", "*", "id")).toEqual([young]);
});
