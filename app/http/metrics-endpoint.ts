// The content of /metrics: what this process counts, and the queues of all regions, read on each request.
import { Gauge } from "prom-client";
import type { Ctx } from "../context.server.ts";
import { readQueueDepths } from "../domain/bus/log/queue-depth.ts";
import { privacyRequests } from "../domain/compliance/requests/privacy-requests.ts";
import { bulkRuns } from "../domain/customers/bulk/run-row.ts";
import { webhookInbox } from "../domain/customers/webhooks/webhook-inbox.ts";
import { countMoves, storeMoves } from "../domain/tenants/moves/move-record.ts";
import { inTime } from "../runtime/deadlines/in-time.ts";
import { registry, requestDuration } from "../runtime/telemetry/metrics.ts";

const observers = new Map<string, (seconds: number) => void>();

/** Counts a response. The labels of a route are looked up once, not on every request. */
export function observeRequest(
  method: string,
  route: string,
  status: number,
  seconds: number,
): void {
  const key = `${method} ${route} ${status}`;
  let observe = observers.get(key);
  if (!observe) {
    const labelled = requestDuration.labels({ method, route, status: String(status) });
    observe = (value) => labelled.observe(value);
    observers.set(key, observe);
  }
  observe(seconds);
}

const depth = new Gauge({
  name: "queue_depth",
  help: "Queue rows that are not delivered.",
  labelNames: ["region", "channel", "status"] as const,
  registers: [registry],
});
const oldest = new Gauge({
  name: "queue_oldest_due_seconds",
  help: "How long the oldest due row has been waiting.",
  labelNames: ["region", "channel"] as const,
  registers: [registry],
});
const up = new Gauge({
  name: "database_up",
  help: "Whether a region's database answers and has its tables.",
  labelNames: ["region"] as const,
  registers: [registry],
});
const inbox = new Gauge({
  name: "webhook_inbox_depth",
  help: "Storefront webhooks that are not handled.",
  labelNames: ["region", "status"] as const,
  registers: [registry],
});

const losing = new Gauge({
  name: "queue_rows_losing_leases",
  help: "Rows of background work whose last three workers ended, or lost them, without an outcome.",
  labelNames: ["region", "queue"] as const,
  registers: [registry],
});
const QUEUES = [webhookInbox, privacyRequests, bulkRuns, storeMoves];

const moves = new Gauge({
  name: "store_moves",
  help: "Moves of stores to another cell that have not ended, by their step.",
  labelNames: ["step"] as const,
  registers: [registry],
});
const moveLag = new Gauge({
  name: "store_move_lag_bytes",
  help: "How far the copies are behind their source's log: the farthest of each step.",
  labelNames: ["step"] as const,
  registers: [registry],
});
const moveAge = new Gauge({
  name: "store_move_age_seconds",
  help: "Since the oldest move that has not ended was requested.",
  labelNames: ["step"] as const,
  registers: [registry],
});

/** Prometheus gives up after ten seconds, and then no metric shows that a database is down. */
const READ_WITHIN_MS = 2_000;

function readInTime<T>(reading: Promise<T>): Promise<T> {
  return inTime(reading, READ_WITHIN_MS, () => {
    throw new Error(`no answer within ${READ_WITHIN_MS} ms`);
  });
}

export const METRICS_CONTENT_TYPE = registry.contentType;

export async function renderMetrics(ctx: Ctx): Promise<string> {
  for (const gauge of [depth, oldest, inbox, losing, up, moves, moveLag, moveAge]) gauge.reset();
  await Promise.all([
    ...ctx.regions
      .names()
      .flatMap((region) => [readRegion(ctx, region), readRowsLosing(ctx, region)]),
    readMoves(ctx),
  ]);
  // The library writes "Nan", for example of the event loop's mean delay right after another scrape; the format has "NaN".
  return (await registry.metrics()).replace(/ Nan$/gm, " NaN");
}

/** An unreachable, silent or unprovisioned region must not hide the others. */
async function readRegion(ctx: Ctx, region: string): Promise<void> {
  try {
    const { queue, webhooks } = await readInTime(readQueueDepths(ctx.regions.get(region)));
    for (const row of queue) {
      depth.set({ region, channel: row.channel, status: row.status }, row.count);
      if (row.status === "pending")
        oldest.set({ region, channel: row.channel }, row.oldest_due_seconds);
    }
    for (const row of webhooks) inbox.set({ region, status: row.status }, row.count);
    up.set({ region }, 1);
  } catch (error) {
    up.set({ region }, 0);
    ctx.log.warn("metrics.region_not_read", { region, reason: (error as Error).message });
  }
}

/** Apart from the above: a database that cannot count these is not down. */
async function readRowsLosing(ctx: Ctx, region: string): Promise<void> {
  const count = async ({ table, countLosing }: (typeof QUEUES)[number]) =>
    losing.set({ region, queue: table }, await countLosing(ctx.regions.get(region)));
  try {
    await readInTime(Promise.all(QUEUES.map(count)));
  } catch (error) {
    ctx.log.warn("metrics.queues_not_read", { region, reason: (error as Error).message });
  }
}

/** Home has all of them, whichever cells this process serves. */
async function readMoves(ctx: Ctx): Promise<void> {
  try {
    for (const { step, count, lag_bytes, age_seconds } of await readInTime(countMoves(ctx))) {
      moves.set({ step }, count);
      moveLag.set({ step }, lag_bytes);
      moveAge.set({ step }, age_seconds);
    }
  } catch (error) {
    ctx.log.warn("metrics.moves_not_read", { reason: (error as Error).message });
  }
}
