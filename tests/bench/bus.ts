// The event bus after the acknowledgement: delivery latency, drain rate of a backlog, and the cost
// of history for a claim. Ratios within one run only.
import { setInterval } from "node:timers/promises";
import pg from "pg";
import { claim } from "../../app/domain/bus/claims/claim.ts";
import { openDatabase } from "../../app/runtime/database/database.ts";
import { createLog } from "../../app/runtime/log.ts";
import { applyMigrations } from "../../app/runtime/database/migrations/apply-migrations.ts";
import { startChild, startServer } from "../support/processes/child.ts";
import { sendEvent, type SentEvent } from "../support/bus/event-load.ts";
import { eventually } from "../support/service.ts";
import { connectErp, fillBacklog, startReceiver, STORES, type Receiver } from "./load/backlog.ts";
import { percentile } from "./load/percentile.ts";
import { sideEnvironment, startSide, stopSide, type Measure, type Side } from "./side.ts";

const RATE = 100;
const E2E_SECONDS = 10;
const BACKLOG = 20_000;
const DRAIN_ROUNDS = 3;
const HISTORY = 2_000_000;
const CLAIM_ROUNDS = 6;
const CLAIMS = 60;
const ROWS_PER_CLAIM = 32;
const TARGET_P99_MS = 100;

const median = (values: readonly number[]) => percentile(values, 0.5);

/**
 * At a steady rate: from the acknowledgement at the sender until the channel's system has the
 * document.
 */
async function measureEndToEnd(side: Side, erp: Receiver): Promise<Measure[]> {
  const send = async (count: number) => {
    const sending: Promise<SentEvent>[] = [];
    for await (const _ of setInterval(1_000 / RATE)) {
      sending.push(sendEvent(side.server.url));
      if (sending.length === count) return Promise.all(sending);
    }
    throw new Error("the timer ended");
  };
  await send(RATE * 3);
  const sent = await send(RATE * E2E_SECONDS);
  if (sent.some(({ status }) => status !== 202))
    throw new Error("an event was not accepted: the figures would mean nothing");
  await eventually(
    "every delivery",
    async () =>
      (await side.db.query("SELECT 1 FROM integration_queue WHERE status <> 'delivered' LIMIT 1"))
        .rowCount === 0,
    30_000,
  );
  const arrivals = JSON.parse(await erp.ask("arrivals")) as Record<string, number>;
  const ack = median(sent.map(({ begunAt, endedAt }) => endedAt - begunAt));
  const took = sent.map(
    ({ eventId, endedAt }) =>
      (arrivals[`${eventId}:erpsys`] as number) - (performance.timeOrigin + endedAt),
  );
  const [p50, p99] = [percentile(took, 0.5), percentile(took, 0.99)];
  process.stdout.write(
    `(to read the ratios by: ack p50 ${ack.toFixed(1)} ms, channel has it p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms at ${RATE}/s)\n`,
  );
  return [
    {
      name: "bus_end_to_end_p50",
      value: p50 / ack,
      bound: `ack p50, acknowledged until the channel has it at ${RATE} events/s (target 2.5)`,
      floor: (value) => value < 10,
    },
    {
      name: "bus_end_to_end_p99",
      value: p99 / TARGET_P99_MS,
      bound: `the target of ${TARGET_P99_MS} ms`,
      floor: (value) => value < 5,
    },
  ];
}

async function rawPosts(erp: Receiver): Promise<number> {
  const child = startChild("tests/bench/load/raw-posts.ts", { URL: erp.url });
  return Number((await child.line("its rate", /^(\S+) a second$/))[1]);
}

/** One worker process drains a backlog, with every state and every attempt on disk. */
async function drain(side: Side): Promise<number> {
  await fillBacklog(side, BACKLOG);
  const worker = await startServer({ ...sideEnvironment(side), ROLES: "worker" });
  const left = async () =>
    (await side.db.query("SELECT 1 FROM integration_queue WHERE status <> 'delivered' LIMIT 1"))
      .rowCount;
  await eventually("the backlog drained", async () => (await left()) === 0, 120_000);
  worker.signal("SIGKILL");
  await worker.ended;
  const { rows } = await side.db.query<{ seconds: number; attempts: number }>(
    `SELECT extract(epoch FROM max(delivered_at) - min(delivered_at))::float8 AS seconds,
      (SELECT count(*)::int FROM delivery_attempts) AS attempts FROM integration_queue`,
  );
  if (rows[0]?.attempts !== BACKLOG)
    throw new Error(`${rows[0]?.attempts} attempts for ${BACKLOG} events`);
  return BACKLOG / rows[0].seconds;
}

async function measureDrain(side: Side, erp: Receiver): Promise<Measure[]> {
  const drains: number[] = [];
  const posts: number[] = [];
  for (let n = 0; n < DRAIN_ROUNDS; n += 1) {
    posts.push(await rawPosts(erp));
    drains.push(await drain(side));
  }
  process.stdout.write(
    `(to read the ratio by: drain ${Math.round(median(drains))}/s, raw posts ${Math.round(median(posts))}/s)\n`,
  );
  return [
    {
      name: "bus_drain",
      value: median(drains) / median(posts),
      bound:
        "raw undici POSTs a second from one process to the same receiver (more is better, target 0.12)",
      floor: (value) => value >= 0.01,
    },
  ];
}

async function openHistory(serverUrl: string, name: string, delivered: number) {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = serverUrl.replace(/\/[^/]+$/, `/${name}`);
  await applyMigrations(url);
  const client = new pg.Client({ connectionString: url });
  // When a measurement fails the database ends first; this error would hide the original one.
  client.on("error", () => {});
  await client.connect();
  // Without the triggers, so that no NOTIFY is sent.
  await client.query("SET session_replication_role = replica");
  const add = (count: number, status: string) =>
    client.query(
      `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
        entity_id, payload, priority, max_retries, status, delivered_at, archived_at)
       SELECT 'shop-' || n % 50 || '.myshopify.com', gen_random_uuid()::text, 'erpsys', 'manual',
         'order.created', 'order', n, '{"name":"#1"}', 2, 4, $2, CASE WHEN $2 = 'delivered'
         THEN now() END, CASE WHEN $2 = 'delivered' THEN now() END
       FROM generate_series(1, $1::int) n`,
      [count, status],
    );
  if (delivered > 0) await add(delivered, "delivered");
  await client.query("VACUUM ANALYZE integration_queue");
  const database = openDatabase({ url, region: "default", poolSize: 2, log: createLog("silent") });
  return {
    async round(): Promise<number> {
      // Twice what is claimed, so that every claim finds enough rows.
      await add(CLAIMS * ROWS_PER_CLAIM * 2, "pending");
      const times: number[] = [];
      for (let n = 0; n < CLAIMS; n += 1) {
        const started = performance.now();
        const { items } = await claim(database, "bench", [
          {
            channel: "erpsys",
            limit: ROWS_PER_CLAIM,
            fromShop: "",
            limits: new Map(),
            perShop: ROWS_PER_CLAIM / 4,
          },
        ]);
        times.push(performance.now() - started);
        if (items.length !== ROWS_PER_CLAIM)
          throw new Error(`a claim brought ${items.length} rows`);
      }
      await client.query("DELETE FROM integration_queue WHERE status IN ('pending', 'processing')");
      await client.query("VACUUM integration_queue");
      return median(times);
    },
    async stop() {
      await database.close();
      await client.end();
    },
  };
}

async function measureClaim(serverUrl: string): Promise<Measure[]> {
  const sides = [
    await openHistory(serverUrl, "bench_claim_empty", 0),
    await openHistory(serverUrl, "bench_claim_full", HISTORY),
  ] as const;
  const rounds: [number[], number[]] = [[], []];
  for (let n = 0; n <= CLAIM_ROUNDS; n += 1)
    for (const index of n % 2 ? ([0, 1] as const) : ([1, 0] as const)) {
      const ms = await sides[index].round();
      // The first round warms both up.
      if (n > 0) rounds[index].push(ms);
    }
  await Promise.all(sides.map((side) => side.stop()));
  const [empty, full] = [median(rounds[0]), median(rounds[1])];
  process.stdout.write(
    `(to read the ratio by: a claim of ${ROWS_PER_CLAIM} rows ${empty.toFixed(2)} ms, beside ${HISTORY.toLocaleString("en")} delivered rows ${full.toFixed(2)} ms)\n`,
  );
  return [
    {
      name: "bus_claim_history",
      value: full / empty,
      bound: `a claim from an empty table, beside ${HISTORY.toLocaleString("en")} delivered rows (target 1.2)`,
      floor: (value) => value < 2,
    },
  ];
}

export async function benchBus(serverUrl: string): Promise<Measure[]> {
  const erp = await startReceiver();
  const live = await startSide(serverUrl, "bench_bus", "web,worker");
  await connectErp(live, erp);
  const measures = await measureEndToEnd(live, erp);
  await stopSide(live);
  const backlog = await startSide(serverUrl, "bench_drain", "web");
  for (const shop of STORES) await connectErp(backlog, erp, shop);
  measures.push(...(await measureDrain(backlog, erp)));
  await stopSide(backlog);
  erp.signal("SIGKILL");
  return [...measures, ...(await measureClaim(serverUrl))];
}
