// Consents counted by day and outcome, from the counts that are written with the log: the cost of a
// chart does not grow with the number of records. Days are the store's own (docs/decisions/048).
import type { Ctx } from "../../context.server.ts";
import { lastDaysIn, timeZoneOf, todayIn } from "../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import type { ConsentOutcome } from "./consent-outcomes.ts";

type OutcomeCounts = Record<ConsentOutcome, number>;
export type CountedDay = { day: string } & OutcomeCounts;

const SUMS = (["granted", "declined", "withdrawn"] satisfies ConsentOutcome[])
  .map((name) => `coalesce(sum(c.count) FILTER (WHERE c.outcome = '${name}'), 0)::int AS ${name}`)
  .join(", ");

/**
 * Every day of the span, including days without any consent, oldest first. `type`: of one type of
 * consent only.
 */
export async function countConsentDays(
  ctx: Ctx,
  tenant: Tenant,
  days: number,
  type: OptInType | null = null,
): Promise<CountedDay[]> {
  return dataOf(ctx, tenant).sql<CountedDay>(
    `SELECT to_char(d.day, 'YYYY-MM-DD') AS day, ${SUMS}
     FROM ${lastDaysIn("$4", "$2::int")}
     LEFT JOIN consent_days c ON c.shop = $1 AND c.day = d.day
       AND c.day > ${todayIn("$4")} - $2::int AND ($3::text IS NULL OR c.consent_type = $3)
     GROUP BY d.day ORDER BY d.day`,
    [days, type, timeZoneOf(tenant)],
  );
}

/** The consents that shoppers are free to decline: the others come with an account. */
const OPT_IN_TYPES = ["marketing", "cookie"] as const;
type OptInType = (typeof OPT_IN_TYPES)[number];

export type OptInRate = OutcomeCounts & {
  type: OptInType;
  /** Granted of granted and declined, 0 to 1; null without either. A withdrawal is no answer. */
  rate: number | null;
  /** The same of the period before. */
  rateBefore: number | null;
};

/** Opt-in rates of the last `days` days, today included, and of as many days before them. */
export async function readOptInRates(ctx: Ctx, tenant: Tenant, days: number): Promise<OptInRate[]> {
  type Row = OutcomeCounts & { type: OptInType; is_recent: boolean };
  const rows = await dataOf(ctx, tenant).sql<Row>(
    `SELECT c.consent_type AS type, c.day > ${todayIn("$4")} - $2::int AS is_recent, ${SUMS}
     FROM consent_days c
     WHERE c.shop = $1 AND c.day > ${todayIn("$4")} - 2 * $2::int AND c.day <= ${todayIn("$4")}
       AND c.consent_type = ANY($3::text[])
     GROUP BY 1, 2`,
    [days, OPT_IN_TYPES, timeZoneOf(tenant)],
  );
  return OPT_IN_TYPES.map((type) => {
    const of = (isRecent: boolean) =>
      rows.find((row) => row.type === type && row.is_recent === isRecent);
    const { granted, declined, withdrawn } = of(true) ?? { granted: 0, declined: 0, withdrawn: 0 };
    return {
      type,
      granted,
      declined,
      withdrawn,
      rate: rateOf(granted, declined),
      rateBefore: rateOf(of(false)?.granted ?? 0, of(false)?.declined ?? 0),
    };
  });
}

const rateOf = (granted: number, declined: number): number | null =>
  granted + declined === 0 ? null : granted / (granted + declined);
