// The agents' calls in numbers, for the merchant's charts. Days are the store's own.
import type { Ctx } from "../../context.server.ts";
import { lastDays } from "../../runtime/calendar-days.ts";
import { dayIn, lastDaysIn, timeZoneOf } from "../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { OUTCOMES, type CallOutcome } from "./agent-call.ts";

const TOTAL_DAYS = 30;
const MAX_SPENDERS = 10;

type CallDay = { day: string } & Record<CallOutcome, number>;
export type Spender = {
  client_id: string | null;
  name: string | null;
  currency: string;
  amount: string;
  orders: number;
};
export type ActivityTotals = { days: CallDay[]; spenders: Spender[] };

const SUMS = OUTCOMES.map(
  (name) => `coalesce(sum(a.calls) FILTER (WHERE a.outcome = '${name}'), 0)::int AS ${name}`,
).join(", ");

/** `$2`: the start of the first day; `$3`: the time zone. */
const DAYS = `
  SELECT to_char(d.day, 'YYYY-MM-DD') AS day, ${SUMS}
  FROM ${lastDaysIn("$3", String(TOTAL_DAYS))}
  LEFT JOIN (
    SELECT ${dayIn("$3", "started_at")} AS day, outcome, sum(calls) AS calls FROM agent_activity
    WHERE shop = $1 AND started_at >= $2 GROUP BY 1, 2
  ) a ON a.day = d.day
  GROUP BY d.day ORDER BY d.day`;

/** What orders took, by agent; an agent that pays in two currencies has two rows. */
const SPENT = `
  SELECT p.client_id, (SELECT c.client_name FROM oauth_clients c WHERE c.shop = $1
    AND c.client_id = p.client_id) AS name, p.currency, p.amount::text, p.orders
  FROM (
    SELECT client_id, currency, sum(amount) AS amount, sum(calls)::int AS orders FROM agent_activity
    WHERE shop = $1 AND started_at >= $2 AND operation = 'pay_checkout'
      AND currency IS NOT NULL
    GROUP BY 1, 2 ORDER BY 3 DESC, 1 LIMIT ${MAX_SPENDERS}
  ) p ORDER BY p.amount DESC, p.client_id`;

export async function readActivityTotals(ctx: Ctx, tenant: Tenant): Promise<ActivityTotals> {
  const { sql } = dataOf(ctx, tenant);
  const zone = timeZoneOf(tenant);
  const first = lastDays(zone, TOTAL_DAYS, ctx.clock.now())[0]?.start;
  const [days, spenders] = await Promise.all([
    sql<CallDay>(DAYS, [first, zone]),
    sql<Spender>(SPENT, [first]),
  ]);
  return {
    days,
    spenders: spenders.map((row) => ({
      ...row,
      name: row.name ?? (URL.parse(row.client_id ?? "")?.host || row.client_id),
    })),
  };
}
