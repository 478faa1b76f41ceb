// Consents counted by day and outcome, from the counts that are written with the log: the cost of a
// chart does not grow with the number of records. Days are the store's own (docs/decisions/048).
import type { Ctx } from "../../context.server.ts";
import type { Columns, ConsentDay } from "../../db.server.ts";
import type { Read } from "../../runtime/database/read-together.ts";
import { lastDaysIn, timeZoneOf, todayIn } from "../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import type { ConsentOutcome } from "./consent-outcomes.ts";

type OutcomeCounts = Record<ConsentOutcome, number>;
export type CountedDay = { day: string } & OutcomeCounts;

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

const READ = `
  SELECT to_char(d.day, 'YYYY-MM-DD') AS day, coalesce(json_agg(json_build_object(
    'type', c.consent_type, 'outcome', c.outcome, 'count', c.count)) FILTER (WHERE c.count > 0), '[]') AS counts
  FROM ${lastDaysIn("$3", "$2::int")}
  LEFT JOIN consent_days c ON c.shop = $1 AND c.day = d.day AND c.day > ${todayIn("$3")} - $2::int
  GROUP BY d.day ORDER BY d.day`;

type StoredCount = Columns<ConsentDay, "outcome" | "count"> & { type: string };
export type StoredDay = { day: string; counts: StoredCount[] };

/** Every day of the span, also one without any consent, oldest first. */
export const consentDaysRead = (tenant: Tenant, days: number): Read<StoredDay> => ({
  sql: READ,
  values: [days, timeZoneOf(tenant)],
});

function sumOutcomes(counts: readonly StoredCount[]): OutcomeCounts {
  const of = (name: ConsentOutcome) =>
    counts.reduce((sum, { outcome, count }) => sum + (outcome === name ? count : 0), 0);
  return { granted: of("granted"), declined: of("declined"), withdrawn: of("withdrawn") };
}

/** Marketing decisions of every day. */
export const toMarketingDays = (days: readonly StoredDay[]): CountedDay[] =>
  days.map(({ day, counts }) => ({
    day,
    ...sumOutcomes(counts.filter(({ type }) => type === "marketing")),
  }));

export type ConsentCounts = {
  /** All types, every day of the span, oldest first. */
  days: CountedDay[];
  rates: OptInRate[];
};

/** Counts the last `days` days, today included; the rates also cover as many days before them. */
export async function readConsentCounts(
  ctx: Ctx,
  tenant: Tenant,
  days: number,
): Promise<ConsentCounts> {
  const { sql, values } = consentDaysRead(tenant, 2 * days);
  const all = await dataOf(ctx, tenant).sql<StoredDay>(sql, values);
  const countsOf = (span: readonly StoredDay[], type: OptInType) =>
    sumOutcomes(span.flatMap(({ counts }) => counts.filter((count) => count.type === type)));
  return {
    days: all.slice(-days).map(({ day, counts }) => ({ day, ...sumOutcomes(counts) })),
    rates: OPT_IN_TYPES.map((type) => {
      const counts = countsOf(all.slice(-days), type);
      const before = countsOf(all.slice(0, days), type);
      return { type, ...counts, rate: rateOf(counts), rateBefore: rateOf(before) };
    }),
  };
}

const rateOf = ({ granted, declined }: OutcomeCounts): number | null =>
  granted + declined === 0 ? null : granted / (granted + declined);
