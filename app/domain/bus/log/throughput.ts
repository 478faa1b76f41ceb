// Attempts of a store over time, per channel and step of the chart. The cost depends on the length
// of the period, not on the number of deliveries.
import type { Ctx } from "../../../context.server.ts";
import type { ChannelMinute, Columns } from "../../../db.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { FOLDED_UNTIL } from "./fold-hours.ts";
import { sumLatencies } from "./latency-histogram.ts";

type Step = { minutes: number; count: number };
/** The steps of a period's chart; the last one is incomplete. */
export const PERIODS = {
  "1h": { minutes: 2, count: 30 },
  "24h": { minutes: 60, count: 24 },
  "7d": { minutes: 360, count: 28 },
  "30d": { minutes: 1_440, count: 30 },
} as const satisfies Record<string, Step>;
export type Period = keyof typeof PERIODS;
export const periodNames = Object.keys(PERIODS) as Period[];

export type AttemptCounts = Columns<ChannelMinute, "delivered" | "failed" | "skipped">;
type ChannelStep = AttemptCounts & { channel: string; latencies: number[] };
export type Throughput = {
  /** The start of each step, ISO 8601, oldest first. */
  steps: string[];
  /** By channel, one entry per step; a channel without attempts is absent. */
  channels: Map<string, (AttemptCounts & { latencies: number[] })[]>;
};

// Whole hours are read from the hours as far as they are folded; steps of minutes only from minutes.
const READ = (isByHour: boolean, hasLatencies: boolean) => `
  WITH span AS (
    SELECT date_bin(make_interval(mins => $2), clock_timestamp(), '2000-01-01Z') AS last
  ), first AS (SELECT last - make_interval(mins => $2) * ($3::int - 1) AS at FROM span),
  counts AS (
    ${
      isByHour
        ? `SELECT channel, hour AS at, delivered, failed, skipped, latencies FROM channel_hours, first
            WHERE shop = $1 AND hour >= first.at
          UNION ALL`
        : ""
    }
    SELECT m.channel, m.minute AS at, m.delivered, m.failed, m.skipped, m.latencies
      FROM channel_minutes m, first, ${isByHour ? FOLDED_UNTIL : "(SELECT '-infinity'::timestamptz AS until)"} AS folded
      WHERE m.shop = $1 AND m.minute >= greatest(first.at, folded.until)
  )
  SELECT NULL AS channel, first.at, 0 AS delivered, 0 AS failed, 0 AS skipped, NULL AS latencies
    FROM first
  UNION ALL
  SELECT channel, date_bin(make_interval(mins => $2), at, '2000-01-01Z'), sum(delivered)::int,
    sum(failed)::int, sum(skipped)::int, ${hasLatencies ? sumLatencies("latencies") : "NULL"}
  FROM counts WHERE channel <> ALL($4::text[]) GROUP BY 1, 2`;

const NOTHING: Omit<ChannelStep, "channel"> = {
  delivered: 0,
  failed: 0,
  skipped: 0,
  latencies: [],
};

/** `except`: channels that are not of interest. The sum of the latencies is most of the cost. */
export async function readThroughput(
  ctx: Ctx,
  tenant: Tenant,
  { minutes, count }: Step,
  { except = [], hasLatencies = true }: { except?: readonly string[]; hasLatencies?: boolean } = {},
): Promise<Throughput> {
  type Row = { [K in keyof ChannelStep]: ChannelStep[K] | null } & { at: Date };
  const rows = await dataOf(ctx, tenant).sql<Row>(READ(minutes >= 60, hasLatencies), [
    minutes,
    count,
    except,
  ]);
  const first = rows.find(({ channel }) => channel === null)?.at.getTime() ?? 0;
  const stepMs = minutes * 60_000;
  const channels: Throughput["channels"] = new Map();
  for (const { channel, at, delivered, failed, skipped, latencies } of rows) {
    if (channel === null) continue;
    const steps = channels.get(channel) ?? Array.from({ length: count }, () => NOTHING);
    steps[(at.getTime() - first) / stepMs] = {
      delivered: delivered ?? 0,
      failed: failed ?? 0,
      skipped: skipped ?? 0,
      latencies: latencies ?? [],
    };
    channels.set(channel, steps);
  }
  return {
    steps: Array.from({ length: count }, (_, at) => new Date(first + at * stepMs).toISOString()),
    channels,
  };
}

/** The sum over the channels, or over the steps of one channel. */
export const sumCounts = (counts: readonly AttemptCounts[]): AttemptCounts => ({
  delivered: counts.reduce((sum, one) => sum + one.delivered, 0),
  failed: counts.reduce((sum, one) => sum + one.failed, 0),
  skipped: counts.reduce((sum, one) => sum + one.skipped, 0),
});

/** Of the attempts that were sent; null when nothing was. */
export const successRate = ({ delivered, failed }: AttemptCounts): number | null =>
  delivered + failed === 0 ? null : delivered / (delivered + failed);
