// Attempts of a store over time, per channel and step of the chart. The cost depends on the length
// of the period, not on the number of deliveries.
import type { Ctx } from "../../../context.server.ts";
import type { ChannelMinute, Columns } from "../../../db.server.ts";
import type { Read } from "../../../runtime/database/read-together.ts";
import { lastDays } from "../../../runtime/calendar-days.ts";
import { timeZoneOf } from "../../tenants/storefront/time-zone.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { FOLDED_UNTIL } from "./fold-hours.ts";
import { sumLatencies } from "./latency-histogram.ts";

type Steps = { minutes: number; count: number };
const DAY_MINUTES = 1_440;
/** The steps of a period's chart; the last one is incomplete. A step of a day is a day of the store. */
export const PERIODS = {
  "1h": { minutes: 2, count: 30 },
  "24h": { minutes: 60, count: 24 },
  "7d": { minutes: 360, count: 28 },
  "30d": { minutes: DAY_MINUTES, count: 30 },
} as const satisfies Record<string, Steps>;
export type Period = keyof typeof PERIODS;
export const periodNames = Object.keys(PERIODS) as Period[];
export const lastDaySteps = (count: number): Steps => ({ minutes: DAY_MINUTES, count });

export type AttemptCounts = Columns<ChannelMinute, "delivered" | "failed" | "skipped">;
export type ChannelStep = AttemptCounts & {
  channel: string;
  step: number;
  latencies: number[] | null;
};
export type Throughput = {
  /** The start of each step, ISO 8601, oldest first. */
  steps: string[];
  /** By channel, one entry per step; a channel without attempts is absent. */
  channels: Map<string, (AttemptCounts & { latencies: number[] })[]>;
};

// `$2`: the starts of the steps. Whole hours are read from the hours as far as they are folded; steps of minutes only from
// minutes. An hour belongs to the step in which it begins.
const readStatement = ({
  isByHour,
  hasLatencies,
}: {
  isByHour: boolean;
  hasLatencies: boolean;
}) => `
  WITH counts AS (
    ${
      isByHour
        ? `SELECT channel, hour AS at, delivered, failed, skipped, latencies FROM channel_hours
            WHERE shop = $1 AND hour >= ($2::timestamptz[])[1]
          UNION ALL`
        : ""
    }
    SELECT m.channel, m.minute AS at, m.delivered, m.failed, m.skipped, m.latencies
      FROM channel_minutes m, ${isByHour ? FOLDED_UNTIL : "(SELECT '-infinity'::timestamptz AS until)"} AS folded
      WHERE m.shop = $1 AND m.minute >= greatest(($2::timestamptz[])[1], folded.until)
  )
  SELECT channel, width_bucket(at, $2::timestamptz[]) - 1 AS step, sum(delivered)::int AS delivered,
    sum(failed)::int AS failed, sum(skipped)::int AS skipped,
    ${hasLatencies ? sumLatencies("latencies") : "NULL"} AS latencies
  FROM counts WHERE channel <> ALL($3::text[]) GROUP BY 1, 2`;

const NOTHING = { delivered: 0, failed: 0, skipped: 0, latencies: [] };

export type ThroughputQuery = {
  /** The start of each step, oldest first. */
  starts: Date[];
  read: Read<ChannelStep>;
};

/** `except`: channels to leave out, because adding up latencies is most of the cost. */
export function throughputQuery(
  ctx: Ctx,
  tenant: Tenant,
  { minutes, count }: Steps,
  { except = [], hasLatencies = true }: { except?: readonly string[]; hasLatencies?: boolean } = {},
): ThroughputQuery {
  const starts = startsOf({ minutes, count }, timeZoneOf(tenant), ctx.clock.now());
  const sql = readStatement({ isByHour: minutes >= 60, hasLatencies });
  return { starts, read: { sql, values: [starts, except] } };
}

export function toThroughput(starts: readonly Date[], rows: readonly ChannelStep[]): Throughput {
  const channels: Throughput["channels"] = new Map();
  for (const { channel, step, latencies, ...counts } of rows) {
    const steps = channels.get(channel) ?? starts.map(() => NOTHING);
    steps[step] = { ...counts, latencies: latencies ?? [] };
    channels.set(channel, steps);
  }
  return { steps: starts.map((start) => start.toISOString()), channels };
}

function startsOf({ minutes, count }: Steps, zone: string, now: Date): Date[] {
  if (minutes === DAY_MINUTES) return lastDays(zone, count, now).map(({ start }) => start);
  const stepMs = minutes * 60_000;
  const last = Math.floor(now.getTime() / stepMs) * stepMs;
  return Array.from({ length: count }, (_, at) => new Date(last - (count - 1 - at) * stepMs));
}

/** The sum over the channels, or over the steps of one channel. */
export const sumCounts = (counts: readonly AttemptCounts[]): AttemptCounts => ({
  delivered: counts.reduce((sum, one) => sum + one.delivered, 0),
  failed: counts.reduce((sum, one) => sum + one.failed, 0),
  skipped: counts.reduce((sum, one) => sum + one.skipped, 0),
});

/** The share of sent attempts that were delivered; null without any. */
export const successRate = ({ delivered, failed }: AttemptCounts): number | null =>
  delivered + failed === 0 ? null : delivered / (delivered + failed);
