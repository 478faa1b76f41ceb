// Deliveries per hour, from the minute counts: the cost depends on the minutes, not on the deliveries.
import type { Ctx } from "../../../context.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

export type HourCount = { hour: string; delivered: number; failed: number };

/** Includes hours without deliveries, oldest first; the last hour is incomplete. */
export async function countHours(ctx: Ctx, tenant: Tenant, hours: number): Promise<HourCount[]> {
  const rows = await dataOf(ctx, tenant).sql<{ hour: Date; delivered: number; failed: number }>(
    `SELECT h.hour, coalesce(c.delivered, 0)::int AS delivered, coalesce(c.failed, 0)::int AS failed
     FROM generate_series(date_trunc('hour',
       clock_timestamp()) - make_interval(hours => $2::int - 1), date_trunc('hour',
       clock_timestamp()), interval '1 hour') AS h(hour)
     LEFT JOIN (
       SELECT date_trunc('hour', minute) AS hour, sum(delivered) AS delivered, sum(failed) AS failed
       FROM channel_minutes WHERE shop = $1
         AND minute >= date_trunc('hour', clock_timestamp()) - make_interval(hours => $2::int - 1) GROUP BY 1
     ) c ON c.hour = h.hour ORDER BY h.hour`,
    [hours],
  );
  return rows.map(({ hour, ...counts }) => ({ hour: hour.toISOString(), ...counts }));
}
