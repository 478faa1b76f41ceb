// How the store's systems take their deliveries, over a period: each system's state, numbers and last
// problem, the sums, and the systems that are not set up.
import type { Ctx } from "../../context.server.ts";
import type { Columns, DeliveryAttempt } from "../../db.server.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { readTogether, type Read } from "../../runtime/database/read-together.ts";
import { internalChannelNames, outsideChannels, type Channel } from "../bus/channel.ts";
import { toFailure, type Failure } from "../bus/log/failure-kind.ts";
import { judgeHealth, type HealthReason, type HealthState } from "../bus/log/health-rules.ts";
import { IS_DEAD } from "../bus/outcome.ts";
import { addHistograms, percentileOf } from "../bus/log/latency-histogram.ts";
import {
  PERIODS,
  throughputQuery,
  successRate,
  sumCounts,
  toThroughput,
  type AttemptCounts,
  type ChannelStep,
  type Period,
  type Throughput,
} from "../bus/log/throughput.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { findMissing, type Missing } from "./channel-settings.ts";

/** More are shown as "5,000+". */
const MAX_COUNTED = 5_000;

/** Numbers of one system or of all. Times in milliseconds; null without attempts. */
export type DeliveryNumbers = AttemptCounts & {
  success: number | null;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  /** Counted up to 5,001. */
  waiting: number;
  /** How long the oldest of them has waited. */
  oldest_waiting_seconds: number | null;
  /** Dead letters of any age that were not replayed; counted up to 5,001. */
  dead: number;
};

export type SystemHealth = DeliveryNumbers & {
  name: string;
  state: HealthState;
  reasons: HealthReason[];
  paused_until: string | null;
  /** Attempts per step, for the sparkline. */
  attempts: number[];
  can_be_tested: boolean;
  last_failure: (Failure & { at: string }) | null;
};

export type DeliveryHealth = {
  period: Period;
  totals: DeliveryNumbers;
  steps: ({ at: string } & AttemptCounts)[];
  systems: SystemHealth[];
  /** Channels that the store has not set up. */
  available: { name: string; missing: Missing[] }[];
};

type Queue = {
  channel: string;
  waiting: number;
  oldest_seconds: number | null;
  dead: number;
  /** ISO 8601. */
  paused_until: string | null;
  last_failure:
    (Columns<DeliveryAttempt, "error" | "http_status"> & { /** ISO 8601. */ at: string }) | null;
};

// Partial indexes of what waits and of what is dead: delivered history costs nothing. A system that
// is away for days has more rows than are counted. The newest failure is one read of the failures' index.
// `$3`: the keys of the circuits, in the order of the channels.
const QUEUES = `
  SELECT c.name AS channel, pending.count + coalesce(active.count, 0) AS waiting,
    round(extract(epoch FROM clock_timestamp() - least(pending.oldest, active.oldest)))::int
      AS oldest_seconds, coalesce(dead.count, 0) AS dead,
    circuit.open_until AS paused_until,
    (SELECT json_build_object('error', f.error, 'http_status', f.http_status, 'at', f.created_at)
      FROM delivery_attempts f WHERE f.shop = $1 AND f.channel = c.name AND f.status = 'failed'
      ORDER BY f.id DESC LIMIT 1) AS last_failure
  FROM unnest($2::text[], $3::text[]) AS c(name, circuit_key)
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS count, min(created_at) AS oldest FROM (
      SELECT created_at FROM integration_queue
      WHERE shop = $1 AND channel = c.name AND status = 'pending' LIMIT ${MAX_COUNTED + 1}
    ) AS rows
  ) AS pending
  LEFT JOIN (
    SELECT channel, count(*)::int AS count, min(created_at) AS oldest FROM integration_queue
    WHERE shop = $1 AND status IN ('processing', 'ready') GROUP BY channel
  ) AS active ON active.channel = c.name
  LEFT JOIN (
    SELECT channel, count(*)::int AS count FROM (
      SELECT channel FROM integration_queue WHERE shop = $1 AND ${IS_DEAD}
      ORDER BY dead_lettered_at DESC LIMIT ${MAX_COUNTED + 1}
    ) AS rows GROUP BY channel
  ) AS dead ON dead.channel = c.name
  LEFT JOIN (
    SELECT key, (value->>'open_until')::timestamptz AS open_until FROM kv
    WHERE shop = $1 AND key = ANY($3::text[])
  ) AS circuit ON circuit.key = c.circuit_key AND circuit.open_until > clock_timestamp()`;

export async function readDeliveryHealth(
  ctx: Ctx,
  tenant: Tenant,
  period: Period,
): Promise<DeliveryHealth> {
  const { reads, toHealth } = deliveryHealthQuery(ctx, tenant, period);
  return toHealth(await readTogether(dataOf(ctx, tenant).sql, reads));
}

type HealthRows = { attempts: ChannelStep; queues: Queue };
export type DeliveryHealthQuery = {
  reads: { [Name in keyof HealthRows]: Read<HealthRows[Name]> };
  toHealth(rows: { [Name in keyof HealthRows]: HealthRows[Name][] }): DeliveryHealth;
};

/** The reads of `readDeliveryHealth`, for a screen that reads more with them. */
export function deliveryHealthQuery(ctx: Ctx, tenant: Tenant, period: Period): DeliveryHealthQuery {
  const names = outsideChannels(ctx).map(({ name }) => name);
  const { starts, read } = throughputQuery(ctx, tenant, PERIODS[period], {
    except: internalChannelNames(ctx),
  });
  return {
    reads: { attempts: read, queues: { sql: QUEUES, values: [names, names.map(KEYS.circuit)] } },
    toHealth: ({ attempts, queues }) =>
      toDeliveryHealth(ctx, tenant, period, toThroughput(starts, attempts), queues),
  };
}

function toDeliveryHealth(
  ctx: Ctx,
  tenant: Tenant,
  period: Period,
  throughput: Throughput,
  queues: readonly Queue[],
): DeliveryHealth {
  const channels = outsideChannels(ctx);
  const toSystem = (channel: Channel): SystemHealth => {
    const { name } = channel;
    const steps = throughput.channels.get(name) ?? [];
    const own = queues.filter((queue) => queue.channel === name);
    const numbers = toNumbers(steps, own);
    const pausedUntil = toIso(own[0]?.paused_until);
    const last = own[0]?.last_failure;
    return {
      name,
      ...numbers,
      ...judgeHealth({
        counts: numbers,
        p95Ms: numbers.p95,
        oldestWaitingSeconds: numbers.oldest_waiting_seconds,
        isPaused: pausedUntil !== null,
      }),
      paused_until: pausedUntil,
      attempts: throughput.steps.map(
        (_, at) => (steps[at]?.delivered ?? 0) + (steps[at]?.failed ?? 0),
      ),
      can_be_tested: channel.isDestination && channel.probe !== undefined,
      last_failure: last ? { ...toFailure(last), at: new Date(last.at).toISOString() } : null,
    };
  };
  return {
    period,
    totals: toNumbers([...throughput.channels.values()].flat(), queues),
    steps: stepsOf(throughput),
    systems: channels.filter((channel) => channel.isEnabled(tenant)).map(toSystem),
    available: channels
      .filter((channel) => !channel.isEnabled(tenant))
      .map((channel) => ({ name: channel.name, missing: findMissing(tenant, channel) })),
  };
}

const toIso = (at: string | null | undefined): string | null =>
  at ? new Date(at).toISOString() : null;

/** What all channels did in each step. */
const stepsOf = ({ steps, channels }: Throughput): DeliveryHealth["steps"] =>
  steps.map((at, step) => ({
    at,
    ...sumCounts([...channels.values()].flatMap((counts) => counts[step] ?? [])),
  }));

function toNumbers(
  steps: readonly (AttemptCounts & { latencies: number[] })[],
  queues: readonly Queue[],
): DeliveryNumbers {
  const counts = sumCounts(steps);
  const histogram = addHistograms(steps.map(({ latencies }) => latencies));
  const oldest = queues.flatMap((queue) => queue.oldest_seconds ?? []);
  return {
    ...counts,
    success: successRate(counts),
    p50: percentileOf(histogram, 0.5),
    p95: percentileOf(histogram, 0.95),
    p99: percentileOf(histogram, 0.99),
    waiting: queues.reduce((sum, { waiting }) => sum + waiting, 0),
    oldest_waiting_seconds: oldest.length > 0 ? Math.max(0, ...oldest) : null,
    dead: queues.reduce((sum, { dead }) => sum + dead, 0),
  };
}
