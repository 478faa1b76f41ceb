// The store's time zone, in which its staff read times and days begin: kept on the tenant record with the
// primary domain, and updated by shop/update and by the scheduled run.
import type { Ctx } from "../../../context.server.ts";
import { dayOf } from "../../../runtime/calendar-days.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { changeTenantRecord } from "../tenant-record.ts";
import type { Tenant } from "../tenant.ts";

const MAX_LENGTH = 64;
const ZONE = /^[A-Za-z0-9_+-]+(\/[A-Za-z0-9_+-]+){0,2}$/;

/** The store's IANA time zone; UTC while it is not known. */
export const timeZoneOf = ({ connection }: Pick<Tenant, "connection">): string =>
  connection.time_zone ?? "UTC";

/** SQL of the store's day of an instant, as a date. `zone`: the parameter with `timeZoneOf`. */
export const dayIn = (zone: string, at: string): string =>
  // A subquery is computed once per statement, the function in its place once per row.
  `(${at} AT TIME ZONE (SELECT known_time_zone(${zone})))::date`;

/** SQL of the store's present day. */
export const todayIn = (zone: string): string => dayIn(zone, "now()");

/** SQL of a table `d (day)` of the store's last days, today included. `count`: an integer. */
export const lastDaysIn = (zone: string, count: string): string =>
  `(SELECT ${todayIn(zone)} - ago AS day FROM generate_series(0, ${count} - 1) AS ago) AS d`;

/** Keeps the zone; false for one that is known or that is no time zone. */
export async function keepTimeZone(
  ctx: Ctx,
  { shop, connection }: Tenant,
  value: unknown,
): Promise<boolean> {
  const zone = toTimeZone(value);
  if (zone === null || zone === connection.time_zone) return false;
  await changeTenantRecord(ctx, shop, { connection: { time_zone: zone } });
  ctx.log.info("time_zone.changed", { shop, zone });
  return true;
}

/** Only names that a screen can format with: the value comes from outside. */
function toTimeZone(value: unknown): string | null {
  if (typeof value !== "string" || value.length > MAX_LENGTH || !ZONE.test(value)) return null;
  try {
    new Date(0).toLocaleDateString("en", { timeZone: value });
    return value;
  } catch {
    return null;
  }
}

/** The store's day, `YYYY-MM-DD`. */
export const presentDay = (tenant: Tenant, clock: Clock): string =>
  dayOf(timeZoneOf(tenant), clock.now());
