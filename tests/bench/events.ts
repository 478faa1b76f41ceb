// The event bus: ingest rate. Ratios within one run only.
import { createHmac } from "node:crypto";
import pg from "pg";
import { startChild, type Child } from "../support/processes/child.ts";
import { APP_SECRET, SHOP } from "../support/service.ts";
import { percentile } from "./load/percentile.ts";
import { startSide, stopSide, type Measure } from "./side.ts";
import { runSocketRound, wireRequest, type Round } from "./load/socket-load.ts";

const ROUNDS = 5;
const ROUND_SECONDS = 3;
const CONNECTIONS = 64;
/** Enough for the fastest side of a round. */
const PREPARED = 60_000;

/** About 620 bytes: a signed product update, each of another product. */
function eventOf(n: number): { body: string; id: string } {
  const id = `gid://shopify/Product/${1_000_000_000_000 + n}`;
  const body = JSON.stringify({
    event_type: "product.updated",
    entity_id: id,
    timestamp: "2026-11-21T10:00:00Z",
    payload: {
      title: `Product ${n}`,
      vendor: "Bench",
      status: "active",
      description: "x".repeat(330),
      variants: [{ sku: `sku-${n}`, price: "12.50" }],
    },
  });
  return { body, id };
}

let made = 0;
/** Prebuilt requests, each of another event; null when none are left. */
export function prepareEvents(count: number): () => Buffer | null {
  const requests = Array.from({ length: count }, () => {
    const { body } = eventOf((made += 1));
    return wireRequest(
      `/events/ingest?source=storefront&shop=${SHOP}`,
      {
        "X-Storefront-Hmac-SHA256": createHmac("sha256", APP_SECRET).update(body).digest("base64"),
        "X-Shopify-Webhook-Id": String(made),
      },
      body,
    );
  });
  return () => requests.pop() ?? null;
}

const addressOf = async (child: Child): Promise<string> =>
  (await child.line("its address", /^listening on (\S+)$/))[1] as string;

const median = (rounds: readonly Round[], of: (round: Round) => number) =>
  percentile(rounds.map(of), 0.5);

/** Eight connections, one INSERT each: the maximum of this Postgres. */
async function insertRound(pool: pg.Pool, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let count = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (performance.now() < until) {
        const { body, id } = eventOf((made += 1));
        await pool.query({
          name: "bare",
          text: "INSERT INTO bare (delivery_id, body) VALUES ($1, $2)",
          values: [id, body],
        });
        count += 1;
      }
    }),
  );
  return count / seconds;
}

export async function benchEvents(serverUrl: string): Promise<Measure[]> {
  const side = await startSide(serverUrl, "bench_events", "web");
  const bare = startChild("tests/bench/bare/server.ts", { DATABASE_URL: serverUrl });
  const least = startChild("tests/bench/bare/contract-server.ts", { DATABASE_URL: side.url });
  const [bareUrl, leastUrl] = await Promise.all([addressOf(bare), addressOf(least)]);
  const pool = new pg.Pool({ connectionString: serverUrl, max: 8 });
  const clear = () => side.db.query("TRUNCATE integration_queue");
  const sides = { ours: side.server.url, bare: bareUrl, least: leastUrl };
  const names = Object.keys(sides) as (keyof typeof sides)[];
  const rounds: Record<keyof typeof sides, Round[]> = { ours: [], bare: [], least: [] };
  const inserts: number[] = [];
  for (let n = 0; n <= ROUNDS; n += 1)
    for (const name of n % 2 ? names.toReversed() : names) {
      const round = await runSocketRound(
        sides[name],
        ROUND_SECONDS,
        CONNECTIONS,
        prepareEvents(PREPARED),
      );
      if (round.refused > 0)
        throw new Error(
          `${round.refused} requests were not answered with 2xx: the figures would mean nothing`,
        );
      // The first round warms both up.
      if (n > 0) rounds[name].push(round);
      if (name === "bare") inserts.push(await insertRound(pool, 2));
      else await clear();
    }
  await pool.end();
  bare.signal("SIGKILL");
  least.signal("SIGKILL");
  await stopSide(side);
  const { ours, bare: theirs } = rounds;
  const ratio = (of: (round: Round) => number) => median(ours, of) / median(theirs, of);
  process.stdout.write(
    `(to read the ratios by: ingest ${Math.round(median(ours, ({ perSecond }) => perSecond))}/s, bare ${Math.round(median(theirs, ({ perSecond }) => perSecond))}/s, single inserts ${Math.round(percentile(inserts, 0.5))}/s)\n`,
  );
  return [
    {
      name: "ingest_throughput",
      value: ratio(({ perSecond }) => perSecond),
      bound: "a bare server with one INSERT per POST (more is better, target 1.2)",
      floor: (value) => value >= 0.5,
    },
    {
      name: "ingest_bound",
      value:
        median(rounds.least, ({ perSecond }) => perSecond) /
        median(theirs, ({ perSecond }) => perSecond),
      bound:
        "the same bare server, by the least that keeps the contract: what ours could reach at most",
      floor: () => true,
    },
    {
      name: "ingest_against_inserts",
      value: median(ours, ({ perSecond }) => perSecond) / percentile(inserts, 0.5),
      bound: "single-row INSERTs over 8 connections (target 0.9)",
      floor: (value) => value >= 0.4,
    },
    {
      name: "ingest_p50",
      value: ratio(({ p50 }) => p50),
      bound: "the bare server's p50",
      floor: (value) => value < 3,
    },
    {
      name: "ingest_p99",
      value: ratio(({ p99 }) => p99),
      bound: "the bare server's p99 (target 0.8)",
      floor: (value) => value < 3,
    },
  ];
}
