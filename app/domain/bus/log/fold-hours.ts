// Folds a store's counts per minute into counts per hour, so that a month is read from 720 rows per
// channel. Readers take hours up to the newest folded one, and minutes after it.
import type { Ctx } from "../../../context.server.ts";
import type { ChannelHour, Columns } from "../../../db.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { sumLatencies } from "./latency-histogram.ts";

/** SQL of the hour of a column, in UTC and independent of the session's time zone. */
const hourOf = (column: string) => `date_bin('1 hour', ${column}, '2000-01-01Z')`;

/** SQL of the time up to which the minutes of store `$1` are folded. */
export const FOLDED_UNTIL = `(SELECT coalesce(max(hour) + interval '1 hour', '-infinity') AS until
  FROM channel_hours WHERE shop = $1)`;

// Reads only minutes after the newest folded hour, so a repetition changes nothing. An hour waits
// five minutes: longer than any settlement that is still to commit takes.
const FOLD = `
  INSERT INTO channel_hours (shop, hour, channel, delivered, failed, skipped, latency_ms_sum, latencies)
  SELECT m.shop, ${hourOf("m.minute")}, m.channel, sum(m.delivered), sum(m.failed), sum(m.skipped),
    sum(m.latency_ms_sum), ${sumLatencies("m.latencies")}
  FROM channel_minutes m, ${FOLDED_UNTIL} AS folded
  WHERE m.shop = $1 AND m.minute >= folded.until
    AND m.minute < ${hourOf("clock_timestamp() - interval '5 minutes'")}
  GROUP BY 1, 2, 3
  ON CONFLICT DO NOTHING RETURNING channel`;

/** Returns the number of hours that were written. */
export async function foldHours(ctx: Ctx, tenant: Tenant): Promise<number> {
  return (await dataOf(ctx, tenant).sql<Columns<ChannelHour, "channel">>(FOLD)).length;
}
