// Workers of the event bus are killed repeatedly while events keep arriving.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { LEASE_SECONDS } from "../../app/domain/bus/claims/leases.ts";
import { endChildren, startRoles, type Child } from "../support/processes/child.ts";
import {
  ERP_FIELDS,
  startErpReceiver,
  takeDocument,
  type ErpReceiver,
} from "../support/bus/erp-receiver.ts";
import { sendEvents } from "../support/bus/event-load.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

const KILLS = 4;
const EVENTS_PER_KILL = 30;
/** The sweep runs every second; the rest allows for a busy machine. */
const SWEEP_AND_SLACK_MS = 4_000;

let service: Service;
let erp: ErpReceiver;

beforeAll(async () => {
  service = await startService();
  erp = await startErpReceiver();
});
afterAll(async () => {
  await endChildren();
  await erp.stop();
  await service.stop();
});
beforeEach(async () => {
  await endChildren();
  await service.database.truncate();
  await service.addTenant(SHOP, { ...ERP_FIELDS, erp_base_url: erp.url });
  erp.received.length = 0;
});

const startWorker = () => startRoles(service, "worker");
const query = (sql: string, params?: unknown[]) => service.database.query(sql, params);
const holder = ({ pid }: Child) => `worker-${pid}-%`;
const begun = async (worker: Child) =>
  (
    await query("SELECT 1 FROM integration_queue WHERE locked_by LIKE $1 AND status = 'ready'", [
      holder(worker),
    ])
  ).length;
const letLeasesRunOut = (worker: Child) =>
  query("UPDATE integration_queue SET locked_until = clock_timestamp() WHERE locked_by LIKE $1", [
    holder(worker),
  ]);

/** Returns how many deliveries the worker had in flight. */
async function kill(worker: Child): Promise<number> {
  worker.signal("SIGKILL");
  await worker.ended;
  return begun(worker);
}

type Row = { event_id: string; status: string; retry_count: number; lease_lost: number };
const allDelivered = (count: number, withinMs: number) =>
  eventually(
    `${count} delivered events`,
    async () => {
      const rows = (await query(
        "SELECT event_id, status, retry_count, lease_lost FROM integration_queue",
      )) as Row[];
      return rows.length === count && rows.every(({ status }) => status === "delivered") && rows;
    },
    withinMs,
  ).catch(async (error: unknown) => {
    // The rows themselves: their count alone does not explain a rare failure.
    const left = await query(
      `SELECT status, retry_count, lease_lost, last_error,
        next_attempt_at - clock_timestamp() AS due_in, locked_by, count(*)::int AS n
        FROM integration_queue WHERE status <> 'delivered' GROUP BY 1, 2, 3, 4, 5, 6 LIMIT 10`,
    );
    throw new Error(
      `${String(error)}; left: ${JSON.stringify(left)}; circuits: ${JSON.stringify(await query("SELECT key, value FROM kv WHERE key LIKE 'circuit:%'"))}`,
    );
  });

test(`${KILLS} kills under ${KILLS * EVENTS_PER_KILL} events or more: every acknowledged event is delivered, none is a dead letter, no attempt is used up, and duplicates do not exceed the deliveries in flight`, async () => {
  erp.answer((response) => void setTimeout(takeDocument, 120, response));
  const workers = [startWorker(), startWorker()];
  await Promise.all(workers);
  const sending: ReturnType<typeof sendEvents>[] = [];
  let inFlight = 0;
  for (let n = 0; n < KILLS; n += 1) {
    const victim = (await workers[n % 2]) as Child;
    sending.push(sendEvents(service.url, EVENTS_PER_KILL));
    let lastSent = Date.now();
    await eventually(
      "deliveries of the victim in flight",
      async () => {
        if ((await begun(victim)) >= 4) return true;
        // Rows from earlier kills run alone, and the other worker may have taken the rest meanwhile.
        if (Date.now() - lastSent > 2_000) {
          lastSent = Date.now();
          sending.push(sendEvents(service.url, 10));
        }
        return false;
      },
      90_000,
    );
    inFlight += await kill(victim);
    await letLeasesRunOut(victim);
    // Started while the other worker runs.
    workers[n % 2] = startWorker();
  }
  const sent = (await Promise.all(sending)).flat();
  expect(sent.filter(({ status }) => status !== 202)).toEqual([]);
  await Promise.all(workers);
  const rows = await allDelivered(sent.length, 120_000);
  const losses = rows.map(({ lease_lost: n }) => n);
  process.stdout.write(
    `${KILLS} kills under ${sent.length} events: lost ${sent.length - new Set(erp.received).size}, in flight at the kills ${inFlight}, arrived twice ${erp.twice()}, rows brought back ${losses.filter((n) => n > 0).length}, most often ${Math.max(...losses)} times\n`,
  );
  expect(new Set(erp.received)).toEqual(new Set(sent.map(({ eventId }) => eventId)));
  expect(erp.twice()).toBeLessThanOrEqual(inFlight);
  expect(rows.filter(({ retry_count: n }) => n > 0)).toEqual([]);
  expect(
    await query("SELECT status, count(*)::int AS n FROM delivery_attempts GROUP BY status"),
  ).toEqual([{ status: "delivered", n: sent.length }]);
}, 400_000);

test("a killed worker's rows are claimed again within its lease and a sweep, and use up no attempt", async () => {
  const EVENTS = 8;
  erp.answer(() => {});
  const victim = await startWorker();
  await sendEvents(service.url, EVENTS);
  await eventually(
    "deliveries in flight, the others held",
    async () =>
      erp.received.length === 5 &&
      (await query("SELECT 1 FROM integration_queue WHERE locked_by LIKE $1", [holder(victim)]))
        .length === EVENTS,
  );
  await startWorker();
  const killedAt = performance.now();
  const inFlight = await kill(victim);
  erp.answer(takeDocument);
  const rows = await allDelivered(EVENTS, LEASE_SECONDS * 1_000 + SWEEP_AND_SLACK_MS);
  process.stdout.write(
    `a worker killed with ${EVENTS} rows, ${inFlight} of them in flight: all delivered by another ${Math.round(performance.now() - killedAt)} ms later, arrived twice ${erp.twice()}\n`,
  );
  expect(
    rows.filter(({ retry_count, lease_lost }) => retry_count !== 0 || lease_lost !== 1),
  ).toEqual([]);
  expect(erp.twice()).toBeLessThanOrEqual(inFlight);
});
