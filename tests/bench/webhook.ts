// Storefront webhooks: acknowledgement rate, and latency until all systems have the change. Ratios
// within one run only.
import { setInterval } from "node:timers/promises";
import { startChild } from "../support/processes/child.ts";
import { eventually } from "../support/service.ts";
import { sendWebhook } from "../support/bus/webhook-load.ts";
import { runRound, type Round } from "./load/load.ts";
import { percentile } from "./load/percentile.ts";
import { startSide, stopSide, type Measure, type Side } from "./side.ts";

const ROUNDS = 4;
const ROUND_SECONDS = 3;
const RATE = 50;
const E2E_SECONDS = 8;
const E2E_FROM = 50_000_000;
const E2E_WARM_UP = 40_000_000;

/** Deletes the rest of a round: the next one starts with an empty backlog. */
const clear = ({ db }: Side) =>
  db.query("TRUNCATE webhook_inbox, integration_queue, delivery_attempts");

const median = (rounds: Round[], of: (round: Round) => number) => percentile(rounds.map(of), 0.5);

/** Interleaved rounds of both, so that a slow minute of the machine affects both. */
async function compare(
  sides: readonly [string, string],
  after: () => Promise<unknown>,
): Promise<[Round[], Round[]]> {
  const rounds: [Round[], Round[]] = [[], []];
  for (const url of sides) await runRound(url, 1);
  await after();
  for (let n = 0; n < ROUNDS; n += 1)
    for (const index of n % 2 ? ([1, 0] as const) : ([0, 1] as const)) {
      rounds[index].push(await runRound(sides[index], ROUND_SECONDS));
      await after();
    }
  const refused = rounds.flat().reduce((sum, round) => sum + round.refused, 0);
  if (refused > 0)
    throw new Error(
      `${refused} requests were not answered with 2xx: the figures would mean nothing`,
    );
  return rounds;
}

async function measureAcknowledgement(serverUrl: string): Promise<Measure[]> {
  const side = await startSide(serverUrl, "bench_web", "web");
  const bare = startChild("tests/bench/bare/server.ts", { DATABASE_URL: serverUrl });
  const [, bareUrl = ""] = await bare.line("its address", /^listening on (\S+)$/);
  const [ours, theirs] = await compare([side.server.url, bareUrl], () => clear(side));
  bare.signal("SIGKILL");
  await stopSide(side);
  const ratio = (of: (round: Round) => number) => median(ours, of) / median(theirs, of);
  return [
    {
      name: "ack_throughput",
      value: ratio(({ perSecond }) => perSecond),
      bound: "a bare server with one INSERT per POST (more is better)",
      floor: (value) => value > 0.25,
    },
    {
      name: "ack_p50",
      value: ratio(({ p50 }) => p50),
      bound: "the bare server's p50",
      floor: (value) => value < 3,
    },
    {
      name: "ack_p99",
      value: ratio(({ p99 }) => p99),
      bound: "the bare server's p99",
      floor: (value) => value < 5,
    },
  ];
}

async function measureHanging(healthy: Side, serverUrl: string): Promise<Measure[]> {
  const hanging = await startSide(serverUrl, "bench_hanging", "web,worker");
  for (const system of ["cms", "analytics", "profilePlatform", "storefront", "email"] as const)
    hanging.sandbox.failNext(system, { hang: 120_000 }, Infinity);
  const [hung, well] = await compare([hanging.server.url, healthy.server.url], async () => {
    await clear(hanging);
    await clear(healthy);
  });
  await stopSide(hanging);
  return [
    {
      name: "ack_p99_hanging",
      value: median(hung, ({ p99 }) => p99) / median(well, ({ p99 }) => p99),
      bound: "ack p99 with every system healthy",
      floor: (value) => value < 3,
    },
    {
      name: "ack_p50_hanging",
      value: median(hung, ({ p50 }) => p50) / median(well, ({ p50 }) => p50),
      bound: "ack p50 with every system healthy",
      floor: (value) => value < 3,
    },
  ];
}

/**
 * A steady 50 a second: the time from an acknowledgement until the last of the three channels has
 * delivered.
 */
async function measureEndToEnd(side: Side): Promise<Measure[]> {
  for (let n = 0; n < 50; n += 1) await sendWebhook(side.server.url, E2E_WARM_UP + n);
  await eventually(
    "quiet",
    async () =>
      (
        await side.db.query(
          `SELECT 1 FROM webhook_inbox WHERE status <> 'done' UNION ALL SELECT 1
            FROM integration_queue WHERE status <> 'delivered'`,
        )
      ).rowCount === 0,
    30_000,
  );
  // As autovacuum does within a minute: no store works without statistics for long.
  await side.db.query("ANALYZE");
  const acks: number[] = [];
  const ackedAt = new Map<string, number>();
  const send = async (n: number) => {
    const { begunAt, endedAt } = await sendWebhook(side.server.url, E2E_FROM + n);
    acks.push(endedAt - begunAt);
    ackedAt.set(`person-${E2E_FROM + n}@example.com`, performance.timeOrigin + endedAt);
  };
  const total = RATE * E2E_SECONDS;
  const sending: Promise<void>[] = [];
  for await (const _ of setInterval(1_000 / RATE)) {
    sending.push(send(sending.length));
    if (sending.length === total) break;
  }
  await Promise.all(sending);
  const rows = await eventually(
    "every delivery",
    async () => {
      const { rows: all } = await side.db.query<{ email: string; at: number; n: number }>(
        `SELECT u.email, extract(epoch FROM max(q.delivered_at))::float8 * 1000 AS at,
          count(*) FILTER (WHERE q.status = 'delivered')::int AS n
       FROM integration_queue q JOIN storefront_users u ON u.shop = q.shop
         AND u.id::text = q.entity_id WHERE u.email LIKE 'person-5%' GROUP BY u.email`,
      );
      return all.filter(({ n }) => n === 3).length >= total && all;
    },
    30_000,
  );
  const took = rows.flatMap(({ email, at }) =>
    ackedAt.has(email) ? [at - (ackedAt.get(email) as number)] : [],
  );
  const ack = percentile(acks, 0.5);
  process.stdout.write(
    `(to read the ratios by: ack p50 ${ack.toFixed(1)} ms, end to end p50 ${percentile(took, 0.5).toFixed(1)} ms, p99 ${percentile(took, 0.99).toFixed(1)} ms at ${RATE}/s)\n`,
  );
  return [
    {
      name: "end_to_end_p50",
      value: percentile(took, 0.5) / ack,
      bound: `ack p50, at ${RATE} webhooks/s`,
      floor: (value) => value < 40,
    },
    {
      name: "end_to_end_p99",
      value: percentile(took, 0.99) / ack,
      bound: `ack p50, at ${RATE} webhooks/s`,
      floor: (value) => value < 400,
    },
  ];
}

export async function benchWebhooks(serverUrl: string): Promise<Measure[]> {
  const measures = await measureAcknowledgement(serverUrl);
  const healthy = await startSide(serverUrl, "bench_healthy", "web,worker");
  // The steady rate first: afterwards the sandbox systems hold tens of thousands of people and are slow
  // themselves.
  measures.push(...(await measureEndToEnd(healthy)), ...(await measureHanging(healthy, serverUrl)));
  await stopSide(healthy);
  return measures;
}
