// Two worker processes, one of them killed repeatedly during deliveries of 150 webhooks.
import { afterAll, beforeAll, expect, test } from "vitest";
import { endChildren, startRoles, type Child } from "../support/processes/child.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";
import { countByStatus, sendWebhook } from "../support/bus/webhook-load.ts";

const WEBHOOKS = 150;
const KILLS = 2;
let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(async () => {
  await endChildren();
  await service.stop();
});

const startWorker = () => startRoles(service, "worker");
const query = <R extends object>(sql: string, params?: unknown[]) =>
  service.database.query<R & Record<string, unknown>>(sql, params);
const deliveredToCms = async () =>
  (
    await query<{ n: number }>(
      "SELECT count(*)::int AS n FROM integration_queue WHERE channel = 'cms' AND status = 'delivered'",
    )
  )[0]?.n ?? 0;

/** Kills a process and expires its leases; returns how many deliveries it had in flight. */
async function kill(victim: Child): Promise<number> {
  const holder = `worker-${victim.pid}-%`;
  await eventually(
    "deliveries of the victim under way",
    async () =>
      (
        await query(
          "SELECT 1 FROM integration_queue WHERE locked_by LIKE $1 AND channel = 'cms' AND status = 'ready'",
          [holder],
        )
      ).length >= 5,
    // Rows from earlier kills run alone first, and the machine may be busy.
    60_000,
  );
  victim.signal("SIGKILL");
  await victim.ended;
  const inFlight = await query(
    "SELECT 1 FROM integration_queue WHERE locked_by LIKE $1 AND status = 'ready'",
    [holder],
  );
  await query(
    `UPDATE kv SET expires_at = clock_timestamp() FROM integration_queue q WHERE q.locked_by LIKE $1
      AND kv.value = to_jsonb(q.attempt_token::text)`,
    [holder],
  );
  await query(
    "UPDATE integration_queue SET locked_until = clock_timestamp() WHERE locked_by LIKE $1",
    [holder],
  );
  return inFlight.length;
}

test("nothing is lost, everything is delivered, no attempt is used up, and duplicates do not exceed the deliveries in flight at the kills", async () => {
  service.sandbox.failNext("cms", { delayMs: 400 }, Infinity);
  const workers = [startWorker(), startWorker()];
  await Promise.all(workers);
  const sent = await Promise.all(
    Array.from({ length: WEBHOOKS }, (_, n) => sendWebhook(service.url, n)),
  );
  expect(countByStatus(sent)).toEqual({ 200: WEBHOOKS });

  let inFlight = 0;
  for (let n = 1; n <= KILLS; n += 1) {
    const before = await deliveredToCms();
    await eventually("progress", async () => (await deliveredToCms()) >= before + 20, 60_000);
    const victim = n % 2;
    inFlight += await kill((await workers[victim]) as Child);
    // Started while the other worker runs.
    workers[victim] = startWorker();
  }

  const rows = await eventually(
    "every row delivered",
    async () => {
      const all = await query<{ status: string; retry_count: number; lease_lost: number }>(
        "SELECT status, retry_count, lease_lost FROM integration_queue",
      );
      return (
        all.length === WEBHOOKS * 3 && all.every(({ status }) => status === "delivered") && all
      );
    },
    120_000,
  );
  const { cms, analytics, profilePlatform } = service.sandbox;
  const created = service.sandbox
    .requests("cms")
    .filter(({ method }) => method === "POST")
    .map(({ body }) => (body as { fieldData: { slug: string } }).fieldData.slug);
  const counted = analytics
    .hits()
    .map(
      ({ body }) =>
        (body as { events: { params: { event_id: string } }[] }).events[0]?.params.event_id,
    );
  const profiled = profilePlatform.messages().map(({ entity }) => entity._id);
  const twice = [created, counted, profiled].map((list) => list.length - new Set(list).size);
  process.stdout.write(
    `${KILLS} kills under ${WEBHOOKS} webhooks: under way ${inFlight}, arrived twice ${twice.join(" + ")}, rows brought back ${rows.filter(({ lease_lost: n }) => n > 0).length}, lost ${WEBHOOKS - new Set(counted).size}\n`,
  );

  expect([created, counted, profiled].map((list) => new Set(list).size)).toEqual([
    WEBHOOKS,
    WEBHOOKS,
    WEBHOOKS,
  ]);
  expect(cms.items()).toHaveLength(WEBHOOKS);
  expect(twice.reduce((sum, n) => sum + n)).toBeLessThanOrEqual(inFlight);
  expect(rows.filter(({ retry_count: n }) => n > 0)).toEqual([]);
  expect(
    await query("SELECT status, count(*)::int AS n FROM delivery_attempts GROUP BY status"),
  ).toEqual([{ status: "delivered", n: WEBHOOKS * 3 }]);
  expect(await query("SELECT count(*)::int AS n FROM storefront_users")).toEqual([{ n: WEBHOOKS }]);
}, 400_000);
