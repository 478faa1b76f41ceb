// The merchant's bus screens on a real database: attempts, dead letters, an event, hourly counts;
// and what their plans read.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AttemptFilters, listAttempts } from "../../../app/domain/bus/log/attempt-list.ts";
import { countDeadLetters, listDeadLetters } from "../../../app/domain/bus/log/dead-letter-list.ts";
import { getEvent } from "../../../app/domain/bus/log/event-view.ts";
import { toFailure } from "../../../app/domain/bus/log/failure-kind.ts";
import { readReplay, startReplay } from "../../../app/domain/bus/replay-run.ts";
import { countHours } from "../../../app/domain/bus/log/throughput.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { addRows } from "../../support/bus/queue.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let tenant: Tenant;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());
beforeEach(async () => {
  await service.database.truncate();
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
  tenant = await getTenant(service.ctx, SHOP);
});

const query = <T extends object = Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  service.database.query<T>(sql, values);

async function addDead(count: number, shop = SHOP, channel = "cms"): Promise<number[]> {
  const ids = await addRows(service.database, { shop, channel, count, dueInSeconds: 3_600 });
  await query(
    "UPDATE integration_queue SET status = 'dead_letter', retry_count = 3, dead_lettered_at = clock_timestamp() - make_interval(secs => 100000 - id), last_error = 'cms answered 503: {\"name\":\"Ada\"}' WHERE id = ANY($1::bigint[])",
    [ids],
  );
  return ids;
}

const addAttempts = (shop: string, rows: number, everyFailed: number) =>
  query(
    `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, http_status,
      latency_ms, error)
     SELECT $1, n, 'e' || n, CASE WHEN n % 2 = 0 THEN 'cms' ELSE 'web_analytics' END, 1, CASE
       WHEN n % $3::int = 0 THEN 'failed' ELSE 'delivered' END, CASE WHEN n % $3::int = 0 THEN 503
       ELSE 200 END, 5, CASE WHEN n % $3::int = 0 THEN 'boom' END FROM generate_series(1, $2::int) AS n`,
    [shop, rows, everyFailed],
  );

test("attempts come newest first, by channel, outcome and event, in pages, without another store's", async () => {
  await addAttempts(SHOP, 20, 5);
  await addAttempts(OTHER_SHOP, 5, 1);
  const list = (filters: object, before: number | null = null) =>
    listAttempts(service.ctx, tenant, AttemptFilters.parse(filters), { limit: 3, before });
  const events = async (filters: object) =>
    (await list(filters)).attempts.map(({ event_id }) => event_id);
  expect(await events({})).toEqual(["e20", "e19", "e18"]);
  expect(await events({ status: "failed" })).toEqual(["e20", "e15", "e10"]);
  expect(await events({ status: "failed", channel: "cms" })).toEqual(["e20", "e10"]);
  expect(await events({ event: "e7" })).toEqual(["e7"]);
  expect(await events({ status: "lost" })).toEqual(["e20", "e19", "e18"]);
  const { next } = await list({});
  expect((await list({}, next)).attempts.map(({ event_id }) => event_id)).toEqual([
    "e17",
    "e16",
    "e15",
  ]);
  expect((await list({ status: "failed" })).attempts[0]?.failure).toEqual({
    kind: "unwell",
    about: null,
    http_status: 503,
  });
});

test("dead letters come newest first; the next page continues correctly although rows were replayed meanwhile", async () => {
  const ids = await addDead(7);
  await addDead(2, OTHER_SHOP);
  const first = await listDeadLetters(service.ctx, tenant, { limit: 3, after: null });
  expect(first.letters.map(({ queue_id: id }) => id)).toEqual(ids.toReversed().slice(0, 3));
  expect(JSON.stringify(first)).not.toContain("Ada");
  await startReplay(service.ctx, tenant, { queueIds: first.letters.map(({ queue_id: id }) => id) });
  await eventually(
    "they are back",
    async () => (await readReplay(service.ctx, tenant))?.state === "done",
  );
  const second = await listDeadLetters(service.ctx, tenant, { limit: 3, after: first.next });
  expect(second.letters.map(({ queue_id: id }) => id)).toEqual(ids.toReversed().slice(3, 6));
  expect(await countDeadLetters(service.ctx, tenant)).toEqual(new Map([["cms", 4]]));
});

test("a replay requeues the selected rows with all attempts and leaves other channels and stores alone", async () => {
  const [ours, others, foreign] = [
    await addDead(1_100),
    await addDead(3, SHOP, "email"),
    await addDead(3, OTHER_SHOP),
  ];
  expect(await startReplay(service.ctx, tenant, { channel: "cms" })).toBe(true);
  const run = await eventually("it is over", async () => {
    const known = await readReplay(service.ctx, tenant);
    return known?.state === "done" && known;
  });
  expect(run.result).toEqual({ requeued: ours.length, of: ours.length });
  const states = await query<{ status: string; retry_count: number; count: number }>(
    "SELECT status, retry_count, count(*)::int AS count FROM integration_queue GROUP BY 1, 2 ORDER BY 1",
  );
  expect(states).toEqual([
    { status: "dead_letter", retry_count: 3, count: others.length + foreign.length },
    { status: "pending", retry_count: 0, count: ours.length },
  ]);
  await startReplay(service.ctx, tenant, { queueIds: foreign });
  await eventually(
    "it is over",
    async () => (await readReplay(service.ctx, tenant))?.result?.of === 3,
  );
  expect((await readReplay(service.ctx, tenant))?.result).toEqual({ requeued: 0, of: 3 });
});

test("a replay whose process died shows as interrupted with its progress, and can be started again", async () => {
  await addDead(2);
  await query(
    "INSERT INTO kv (shop, key, value, expires_at) VALUES ($1, 'run:dead_letter_replay', $2, now() + interval '1 day'), ($1, 'lease:dead_letter_replay', '\"dead\"', now() - interval '1 second')",
    [
      SHOP,
      JSON.stringify({
        state: "running",
        started_at: "2026-11-21T00:00:00.000Z",
        finished_at: null,
        progress: { requeued: 500, of: 900 },
        result: null,
      }),
    ],
  );
  expect(await readReplay(service.ctx, tenant)).toMatchObject({
    state: "interrupted",
    progress: { requeued: 500, of: 900 },
  });
  expect(await startReplay(service.ctx, tenant, { channel: null })).toBe(true);
  await eventually(
    "it is over",
    async () => (await readReplay(service.ctx, tenant))?.state === "done",
  );
  await query(
    "INSERT INTO kv (shop, key, value, expires_at) VALUES ($1, 'lease:dead_letter_replay', '\"alive\"', now() + interval '1 minute') ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at",
    [SHOP],
  );
  expect(await startReplay(service.ctx, tenant, { channel: null })).toBe(false);
});

test("an event shows its envelope, deliveries and attempts, but no payload and no address; another store's is not found", async () => {
  const answer = await service.call("POST", `/events/ingest?shop=${SHOP}&source=manual`, {
    body: {
      event_type: "customer.updated",
      entity_type: "customer",
      entity_id: "ada@example.com",
      payload: { first_name: "Lovelace" },
      destinations: ["cms"],
    },
  });
  const eventId = answer.json.event_id as string;
  const event = await getEvent(service.ctx, tenant, eventId);
  expect(event).toMatchObject({
    event_id: eventId,
    source: "manual",
    event_type: "customer.updated",
    destinations: ["cms"],
    deliveries: [{ channel: "cms", status: "pending", failure: null }],
    attempts: [],
  });
  expect(JSON.stringify(event)).not.toMatch(/ada@example|Lovelace/);
  await addRows(service.database, { shop: SHOP });
  const [row] = await query<{ event_id: string }>(
    `UPDATE integration_queue SET entity_id = 'ada@example.com' WHERE shop = $1 AND event_id <> $2
      RETURNING event_id`,
    [SHOP, eventId],
  );
  expect(await getEvent(service.ctx, tenant, row?.event_id ?? "")).toMatchObject({
    entity_id: null,
    payload_sha256: null,
    deliveries: [{ channel: "cms" }],
  });
  await expect(
    getEvent(service.ctx, await getTenant(service.ctx, OTHER_SHOP), eventId),
  ).rejects.toMatchObject({ code: "not_found" });
});

test("hourly counts are summed from the minutes, including empty hours", async () => {
  await query(
    `INSERT INTO channel_minutes (shop, channel, minute, delivered, failed, latency_ms_sum)
      VALUES ($1, 'cms', date_trunc('hour', now()) - interval '2 hours', 5, 1, 9), ($1, 'email',
      date_trunc('hour', now()) - interval '2 hours' + interval '1 minute', 2, 0, 9), ($2, 'cms',
      date_trunc('hour', now()), 9, 9, 9)`,
    [SHOP, OTHER_SHOP],
  );
  expect(
    (await countHours(service.ctx, tenant, 4)).map(({ delivered, failed }) => [delivered, failed]),
  ).toEqual([
    [0, 0],
    [7, 1],
    [0, 0],
    [0, 0],
  ]);
});

test("among many attempts a failure is found through the failures' own indexes", async () => {
  await addAttempts(SHOP, 30_000, 30_000);
  await query("ANALYZE delivery_attempts");
  const plan = async (sql: string) =>
    (await query<{ "QUERY PLAN": string }>(`EXPLAIN (COSTS OFF) ${sql}`, [SHOP]))
      .map((row) => row["QUERY PLAN"])
      .join("\n");
  expect(
    await plan(
      "SELECT * FROM delivery_attempts WHERE shop = $1 AND status = 'failed' ORDER BY id DESC LIMIT 26",
    ),
  ).toMatch(/delivery_attempts_failed_idx/);
  expect(
    await plan(
      `SELECT * FROM delivery_attempts WHERE shop = $1 AND channel = 'email' AND status = 'failed'
        ORDER BY id DESC LIMIT 1`,
    ),
  ).toMatch(/delivery_attempts_channel_failed_idx/);
});

test.each([
  [
    { error: 'cms answered 401: {"email":"ada@example.com"}', http_status: 401 },
    "access_refused",
    null,
  ],
  [{ error: "erpsys answered 422", http_status: 422 }, "rejected", null],
  [
    { error: "consent_missing: analytics_partners", http_status: null },
    "consent",
    "analytics_partners",
  ],
  [{ error: "missing required field: bukrs, vkorg", http_status: null }, "data", "bukrs, vkorg"],
  [{ error: "no UPC for SKU CAM-9", http_status: null }, "data", "CAM-9"],
  [{ error: "erp_base_url is not set", http_status: null }, "setting", "erp_base_url"],
  [{ error: "cms did not answer in time", http_status: null }, "slow", null],
  [{ error: "cms cannot be reached (ECONNREFUSED)", http_status: null }, "unreachable", null],
  [{ error: "worker_lost", http_status: null }, "given_up", null],
  [{ error: "something about ada@example.com", http_status: null }, "other", null],
])("an error is shown as a kind, without any sent data: %o", (attempt, kind, about) => {
  expect(toFailure(attempt)).toEqual({ kind, about, http_status: attempt.http_status });
});
