// The agents' calls in numbers, for the merchant's charts, and which agents there are. Days are the store's own.
import type { Ctx } from "../../context.server.ts";
import { jsonList } from "../../runtime/database/json-list.ts";
import { lastDays } from "../../runtime/calendar-days.ts";
import { dayIn, lastDaysIn, timeZoneOf } from "../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { nameOf } from "./activity-list.ts";
import { OUTCOMES, type CallOutcome } from "./agent-call.ts";

const TOTAL_DAYS = 30;
const MAX_SPENDERS = 10;
const MAX_AGENTS = 100;

type CallDay = { day: string } & Record<CallOutcome, number>;
export type Spender = {
  client_id: string | null;
  name: string | null;
  currency: string;
  amount: string;
  orders: number;
};
type ActiveAgent = { client_id: string; name: string };
export type ActivityTotals = {
  days: CallDay[];
  spenders: Spender[];
  /** Whose calls are stored, by name. */
  agents: ActiveAgent[];
};
type Stored = Omit<ActivityTotals, "agents"> & {
  agents: { client_id: string; name: string | null }[];
};

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

// One look-up in the index per agent, not one row per call.
const ACTIVE_AGENTS = `
  WITH RECURSIVE seen AS (
    (SELECT client_id FROM agent_activity WHERE shop = $1 AND client_id IS NOT NULL ORDER BY client_id LIMIT 1)
    UNION ALL
    SELECT (SELECT n.client_id FROM agent_activity n WHERE n.shop = $1 AND n.client_id > seen.client_id
      ORDER BY n.client_id LIMIT 1) FROM seen WHERE seen.client_id IS NOT NULL
  )
  SELECT a.client_id, (SELECT c.client_name FROM oauth_clients c
    WHERE c.shop = $1 AND c.client_id = a.client_id) AS name
  FROM (SELECT client_id FROM seen WHERE client_id IS NOT NULL LIMIT ${MAX_AGENTS}) a`;

/** One statement for all that is beside the list, because each one is a round trip. */
const TOTALS = `SELECT ${jsonList(DAYS)} AS days, ${jsonList(SPENT)} AS spenders, ${jsonList(ACTIVE_AGENTS)} AS agents`;

export async function readActivityTotals(ctx: Ctx, tenant: Tenant): Promise<ActivityTotals> {
  const zone = timeZoneOf(tenant);
  const first = lastDays(zone, TOTAL_DAYS, ctx.clock.now())[0]?.start;
  const [row] = await dataOf(ctx, tenant).sql<Stored>(TOTALS, [first, zone]);
  const { days = [], spenders = [], agents = [] } = row ?? {};
  return {
    days,
    spenders: spenders.map((spender) => ({
      ...spender,
      name: spender.name ?? (spender.client_id && nameOf(spender.client_id)),
    })),
    agents: agents
      .map(({ client_id: id, name }) => ({ client_id: id, name: name ?? nameOf(id) }))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
  };
}
