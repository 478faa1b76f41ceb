// The agents' calls in numbers, for the merchant's charts. Days are UTC.
import type { Ctx } from "../../context.server.ts";
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

const DAYS = `
  SELECT to_char(d.day, 'YYYY-MM-DD') AS day, ${SUMS}
  FROM generate_series(current_date - (${TOTAL_DAYS} - 1), current_date, interval '1 day') AS d(day)
  LEFT JOIN (
    SELECT started_at::date AS day, outcome, sum(calls) AS calls FROM agent_activity
    WHERE shop = $1 AND started_at >= current_date - (${TOTAL_DAYS} - 1) GROUP BY 1, 2
  ) a ON a.day = d.day::date
  GROUP BY d.day ORDER BY d.day`;

/** What orders took, by agent; an agent that pays in two currencies has two rows. */
const SPENT = `
  SELECT p.client_id, (SELECT c.client_name FROM oauth_clients c WHERE c.shop = $1
    AND c.client_id = p.client_id) AS name, p.currency, p.amount::text, p.orders
  FROM (
    SELECT client_id, currency, sum(amount) AS amount, sum(calls)::int AS orders FROM agent_activity
    WHERE shop = $1 AND started_at >= current_date - (${TOTAL_DAYS} - 1) AND operation = 'pay_checkout'
      AND currency IS NOT NULL
    GROUP BY 1, 2 ORDER BY 3 DESC, 1 LIMIT ${MAX_SPENDERS}
  ) p ORDER BY p.amount DESC, p.client_id`;

export async function readActivityTotals(ctx: Ctx, tenant: Tenant): Promise<ActivityTotals> {
  const { sql } = dataOf(ctx, tenant);
  const [days, spenders] = await Promise.all([sql<CallDay>(DAYS), sql<Spender>(SPENT)]);
  return {
    days,
    spenders: spenders.map((row) => ({
      ...row,
      name: row.name ?? (URL.parse(row.client_id ?? "")?.host || row.client_id),
    })),
  };
}
