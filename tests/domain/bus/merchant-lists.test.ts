// The merchant's bus screens on a real database: attempts, dead letters, an event;
// and what their plans read.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AttemptFilters } from "../../../app/domain/bus/log/attempt-filters.ts";
import { listAttempts } from "../../../app/domain/bus/log/attempt-list.ts";
import { countDeadLetters, listDeadLetters } from "../../../app/domain/bus/log/dead-letter-list.ts";
import { readBusStatus } from "../../../app/domain/bus/log/bus-status.ts";
import { getEvent } from "../../../app/domain/bus/log/event-view.ts";
import { isSkipped, REPORTED_BY_BACKEND } from "../../../app/domain/bus/outcome.ts";
import { readDeliveryLog } from "../../../app/domain/merchant/delivery-log.ts";
import { toFailure } from "../../../app/domain/bus/log/failure-kind.ts";
import { readReplay, startReplay } from "../../../app/domain/bus/dead-letters/replay-run.ts";
import { requeueRows } from "../../../app/domain/bus/dead-letters/requeue-dead-letters.ts";
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

type Seed = {
  event: string;
  type?: string;
  entity?: [type: string, id: string];
  status?: "delivered" | "failed";
  http?: number | null;
  error?: string | null;
  daysAgo?: number;
};

/** One event with one attempt, and its row. */
async function addAttempt(seed: Seed, shop = SHOP): Promise<void> {
  const { event, type = "order.created", entity = ["order", event] } = seed;
  const [row] = await query<{ id: string }>(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, status) VALUES ($1, $2, 'cms', 'manual', $3, $4, $5, 'delivered') RETURNING id`,
    [shop, event, type, ...entity],
  );
  await query(
    `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, http_status,
      latency_ms, error, created_at)
      VALUES ($1, $2, $3, 'cms', 1, $4, $5, 5, $6, now() - make_interval(days => $7))`,
    [
      shop,
      row?.id,
      event,
      seed.status ?? "delivered",
      seed.http === undefined ? 200 : seed.http,
      seed.error ?? null,
      seed.daysAgo ?? 0,
    ],
  );
}

const found = async (filters: object, before: number | null = null) => {
  const asked = AttemptFilters.parse(filters);
  return readDeliveryLog(service.ctx, tenant, asked, { limit: 3, before });
};
const foundEvents = async (filters: object) =>
  (await found(filters)).attempts.map(({ event_id }) => event_id);

test("the log is filtered by outcome, HTTP status, type, object, customer and date, of this store alone", async () => {
  const [user] = await query<{ id: number }>(
    `INSERT INTO storefront_users (shop, email, full_name, provider, status, storefront_customer_gid)
      VALUES ($1, 'ada@example.com', 'Ada Lovelace', 'storefront', 'active',
      'gid://shopify/Customer/77') RETURNING id`,
    [SHOP],
  );
  await addAttempt({ event: "old", daysAgo: 9 });
  await addAttempt({ event: "sent", entity: ["order", "gid://shopify/Order/501"] });
  await addAttempt({ event: "same", http: null, error: "unchanged", type: "customer.updated" });
  await addAttempt({ event: "reported", http: null, error: REPORTED_BY_BACKEND });
  await addAttempt({ event: "bad", status: "failed", http: 422, error: "cms answered 422" });
  await addAttempt({ event: "down", status: "failed", http: 503, error: "cms answered 503" });
  await addAttempt({ event: "own", type: "tag.added", entity: ["customer", String(user?.id)] });
  await addAttempt({
    event: "hers",
    type: "tag.gone",
    entity: ["customer", "gid://shopify/Customer/77"],
  });
  await addAttempt({ event: "foreign", status: "failed", http: 422 }, OTHER_SHOP);

  expect(await foundEvents({ status: "skipped" })).toEqual(["same"]);
  expect(await foundEvents({ status: "delivered" })).toEqual(["hers", "own", "reported"]);
  expect((await found({ status: "skipped" })).attempts[0]?.skip).toEqual({ kind: "unchanged" });
  expect(await foundEvents({ http: "422" })).toEqual(["bad"]);
  expect(await foundEvents({ http: "4xx", channel: "cms" })).toEqual(["bad"]);
  expect(await foundEvents({ http: "5xx", status: "failed" })).toEqual(["down"]);
  expect(await foundEvents({ http: "422", status: "delivered" })).toEqual([]);
  expect(await foundEvents({ http: "none" })).toEqual(["reported", "same"]);
  expect(await foundEvents({ type: "tag.*" })).toEqual(["hers", "own"]);
  expect(await foundEvents({ type: "customer.updated" })).toEqual(["same"]);
  expect(await foundEvents({ event: "501" })).toEqual(["sent"]);
  expect(await foundEvents({ event: "gid://shopify/Order/501" })).toEqual(["sent"]);
  expect(await foundEvents({ event: "down" })).toEqual(["down"]);
  for (const customer of ["ada@example.com", "Ada Love", "77", String(user?.id)])
    expect([customer, await foundEvents({ customer })]).toEqual([customer, ["hers", "own"]]);
  expect(await foundEvents({ customer: "ada@example.com", type: "tag.gone" })).toEqual(["hers"]);
  const theirs = await query<{ id: number }>(
    `INSERT INTO storefront_users (shop, email, provider, status, storefront_customer_gid)
      VALUES ($1, 'ada@example.com', 'storefront', 'active', 'gid://shopify/Customer/77'),
        ($1, 'other@example.com', 'storefront', 'active', 'gid://shopify/Customer/78') RETURNING id`,
    [OTHER_SHOP],
  );
  for (const { id } of theirs)
    await addAttempt({ event: `same number ${id}`, entity: ["customer", String(id)] });
  expect(await foundEvents({ customer: "77" })).toEqual(["hers", "own"]);
  expect((await found({ customer: "78" })).customers).toBe("none");
  expect((await found({ customer: "grace" })).customers).toBe("none");
  const addGraces = (from: number, to: number) =>
    query(
      `INSERT INTO storefront_users (shop, email, provider, status)
        SELECT $1, 'grace' || n || '@example.com', 'email', 'active' FROM generate_series($2::int, $3::int) AS n`,
      [SHOP, from, to],
    );
  await addGraces(1, 20);
  expect((await found({ customer: "grace" })).customers).toBe("found");
  await addGraces(21, 21);
  expect((await found({ customer: "grace" })).customers).toBe("too_many");
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  expect(await foundEvents({ to: day(8) })).toEqual(["old"]);
  expect(await foundEvents({ from: day(10), to: day(8), status: "delivered" })).toEqual(["old"]);
  expect(await foundEvents({ from: day(1), http: "422" })).toEqual(["bad"]);
});

test("hostile filters of the log are ignored or find nothing, and never fail", async () => {
  await addAttempts(SHOP, 5, 2);
  const all = ["e5", "e4", "e3"];
  for (const filters of [
    { from: "2026-02-31" },
    { to: "9999-99-99" },
    { from: "' OR 1=1 --" },
    { http: "99999999999" },
    { http: "4xx'" },
    { status: "lost" },
    { channel: "x".repeat(41) },
  ])
    expect([filters, await foundEvents(filters)]).toEqual([filters, all]);
  for (const filters of [
    { type: "%" },
    { type: "\\*" },
    { event: "\u0000e5'" },
    { customer: "\u0000 %_' OR 1=1" },
    { customer: "99999999999999999999" },
    { customer: "gid://shopify/Customer/x" },
    { from: "2099-01-01" },
    { to: "2001-01-01" },
  ])
    expect([filters, await foundEvents(filters)]).toEqual([filters, []]);
});

test("a search that no index answers stops at its bound, and continues on the next page", async () => {
  await addAttempts(SHOP, 6_000, 7_000);
  await query("UPDATE delivery_attempts SET http_status = 207 WHERE event_id = 'e1'");
  await query("ANALYZE delivery_attempts");
  const first = await found({ http: "207" });
  expect(first).toMatchObject({ attempts: [], isCut: true });
  const second = await found({ http: "207" }, first.next);
  expect(second).toMatchObject({ attempts: [{ event_id: "e1" }], isCut: false, next: null });
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

test("a dead letter without the time of its death, as another program writes it, is dead since its last change", async () => {
  const [, second] = await addDead(3);
  await query(
    `UPDATE integration_queue SET dead_lettered_at = NULL, updated_at = '2020-01-02T03:04:05Z'
      WHERE id = $1`,
    [second],
  );
  const { letters } = await listDeadLetters(service.ctx, tenant, { limit: 10, after: null });
  expect(letters).toHaveLength(3);
  expect(letters.find(({ queue_id: id }) => id === second)?.dead_since).toBe(
    "2020-01-02T03:04:05.000Z",
  );
  const { dead_letter: dead } = await readBusStatus(service.ctx, tenant);
  expect(dead).toMatchObject({ count: 3, oldest: "2020-01-02T03:04:05.000Z" });
});

test("dead letters without a time of death are paged through like the others, and none is left out", async () => {
  const ids = await addDead(7);
  await query(
    "UPDATE integration_queue SET dead_lettered_at = NULL, updated_at = '2020-01-02T00:00:00Z' WHERE id = ANY($1::bigint[])",
    [ids.slice(0, 3)],
  );
  const seen: number[] = [];
  let after: string | null = null;
  do {
    const page = await listDeadLetters(service.ctx, tenant, { limit: 2, after });
    seen.push(...page.letters.map(({ queue_id: id }) => id));
    after = page.next;
  } while (after !== null && seen.length < 20);
  expect(seen).toHaveLength(ids.length);
  expect(new Set(seen)).toEqual(new Set(ids));
  const [row] = await query<{ event_id: string }>(
    "SELECT event_id FROM integration_queue WHERE id = $1",
    [ids[0]],
  );
  const event = await getEvent(service.ctx, tenant, row?.event_id ?? "");
  expect(event?.deliveries.map(({ dead_since: since }) => since)).toEqual([
    "2020-01-02T00:00:00.000Z",
  ]);
});

test("a replay requeues the selected rows with all attempts and leaves other channels and stores alone", async () => {
  const [ours, others, foreign] = [
    await addDead(1_100),
    await addDead(3, SHOP, "email"),
    await addDead(3, OTHER_SHOP),
  ];
  expect(await startReplay(service.ctx, tenant, { channel: "cms" })).toBe("started");
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
});

test("a replay leaves what died after its start to the next one, so that it ends", async () => {
  const [earlier, later] = (await addDead(2)) as [number, number];
  const [row] = await query<{ at: string }>(
    `UPDATE integration_queue SET dead_lettered_at = clock_timestamp() + interval '1 second'
      WHERE id = $1 RETURNING clock_timestamp()::text AS at`,
    [later],
  );
  const { sql } = service.ctx.home.forTenant(SHOP);
  const all = { ids: null, channel: null, until: row?.at ?? "", limit: 10 };
  expect(await requeueRows(sql, all)).toBe(1);
  expect(await query("SELECT id::int FROM integration_queue WHERE status = 'pending'")).toEqual([
    { id: earlier },
  ]);
});

test("a replay of which nothing is dead any more starts no run, so that the last one keeps its result", async () => {
  await addDead(2);
  const [foreign, email] = [await addDead(1, OTHER_SHOP), await addDead(1, SHOP, "email")];
  expect(await startReplay(service.ctx, tenant, { channel: "cms" })).toBe("started");
  await eventually(
    "it is over",
    async () => (await readReplay(service.ctx, tenant))?.state === "done",
  );
  expect(await startReplay(service.ctx, tenant, { channel: "cms" })).toBe("nothing");
  expect(await startReplay(service.ctx, tenant, { queueIds: foreign })).toBe("nothing");
  expect((await readReplay(service.ctx, tenant))?.result).toEqual({ requeued: 2, of: 2 });
  expect(await startReplay(service.ctx, tenant, { queueIds: email })).toBe("started");
  await eventually(
    "the second is over",
    async () => (await readReplay(service.ctx, tenant))?.result?.of === 1,
  );
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
  expect(await startReplay(service.ctx, tenant, { channel: null })).toBe("started");
  await eventually(
    "it is over",
    async () => (await readReplay(service.ctx, tenant))?.state === "done",
  );
  await query(
    "INSERT INTO kv (shop, key, value, expires_at) VALUES ($1, 'lease:dead_letter_replay', '\"alive\"', now() + interval '1 minute') ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at",
    [SHOP],
  );
  await addDead(1);
  expect(await startReplay(service.ctx, tenant, { channel: null })).toBe("busy");
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
    deliveries: [
      {
        channel: "cms",
        status: "pending",
        failure: null,
        attempts: 0,
        timeline: [{ kind: "received" }, { kind: "next" }],
      },
    ],
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
      `SELECT * FROM delivery_attempts a WHERE shop = $1 AND ${isSkipped("a")} ORDER BY id DESC LIMIT 26`,
    ),
  ).toMatch(/delivery_attempts_skipped_idx/);
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
  [{ error: "erpsys answered something that is not XML", http_status: null }, "unreadable", null],
  [{ error: "worker_lost", http_status: null }, "given_up", null],
  [{ error: "something about ada@example.com", http_status: null }, "other", null],
])("an error is shown as a kind, without any sent data: %o", (attempt, kind, about) => {
  expect(toFailure(attempt)).toEqual({ kind, about, http_status: attempt.http_status });
});
