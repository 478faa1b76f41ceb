// What shoppers did with the banner over a period, beside the period before it. Days are
// the store's own (docs/decisions/048).
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { BannerDay, Columns } from "../../../db.server.ts";
import { toCsvLine } from "../../../runtime/text/csv.ts";
import { lastDaysIn, timeZoneOf, todayIn } from "../../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { BANNER_STEPS, type BannerStep } from "./banner-event.ts";

const PERIODS = [7, 30, 90] as const;
const CUTS = ["region", "device", "language", "version"] as const;
export type InsightCut = (typeof CUTS)[number];

export const InsightQuery = z.object({
  days: z.coerce
    .number()
    .refine((days) => (PERIODS as readonly number[]).includes(days))
    .catch(30),
  by: z.enum(CUTS).catch("region"),
});
export type InsightQuery = z.output<typeof InsightQuery>;

type StepCounts = Record<BannerStep, number>;
type InsightDay = { day: string } & StepCounts;
export type InsightPeriod = StepCounts & {
  /** Accepted of all answers, 0 to 1; null without an answer. */
  rate: number | null;
};
export type InsightRow = InsightPeriod & { value: string; rateBefore: number | null };
export type Insights = {
  days: InsightDay[];
  now: InsightPeriod;
  before: InsightPeriod;
  /** The rows of the chosen dimension, those with the most displays first. */
  rows: InsightRow[];
};

const MAX_ROWS = 400;
const SUMS = BANNER_STEPS.map((step) => `coalesce(sum(b.${step}), 0)::int AS ${step}`).join(", ");

export async function readInsights(
  ctx: Ctx,
  tenant: Tenant,
  { days, by }: InsightQuery,
): Promise<Insights> {
  const [all, rows] = await Promise.all([
    readDays(ctx, tenant, 2 * days),
    readRows(ctx, tenant, days, by),
  ]);
  return {
    days: all.slice(-days),
    now: toPeriod(all.slice(-days)),
    before: toPeriod(all.slice(0, days)),
    rows,
  };
}

/** Every day of the span, today included, oldest first. */
const readDays = (ctx: Ctx, tenant: Tenant, days: number): Promise<InsightDay[]> =>
  dataOf(ctx, tenant).sql<InsightDay>(
    `SELECT to_char(d.day, 'YYYY-MM-DD') AS day, ${SUMS}
     FROM ${lastDaysIn("$3", "$2::int")}
     LEFT JOIN banner_days b ON b.shop = $1 AND b.day = d.day AND b.dimension = 'all'
       AND b.day > ${todayIn("$3")} - $2::int
     GROUP BY d.day ORDER BY d.day`,
    [days, timeZoneOf(tenant)],
  );

type CutRow = { value: string; is_recent: boolean } & StepCounts;

async function readRows(
  ctx: Ctx,
  tenant: Tenant,
  days: number,
  by: InsightCut,
): Promise<InsightRow[]> {
  const value = by === "version" ? "b.version::text" : "b.value";
  const found = await dataOf(ctx, tenant).sql<CutRow>(
    `SELECT ${value} AS value, b.day > ${todayIn("$4")} - $2::int AS is_recent, ${SUMS}
     FROM banner_days b
     WHERE b.shop = $1 AND b.dimension = $3 AND b.day > ${todayIn("$4")} - 2 * $2::int
       AND b.day <= ${todayIn("$4")}
     GROUP BY 1, 2`,
    [days, by === "version" ? "all" : by, timeZoneOf(tenant)],
  );
  const before = new Map(found.filter((row) => !row.is_recent).map((row) => [row.value, row]));
  return found
    .filter((row) => row.is_recent)
    .map((row) => ({
      value: row.value,
      ...toPeriod([row]),
      rateBefore: rateOf(before.get(row.value)),
    }))
    .toSorted((a, b) => b.shown - a.shown || answersOf(b) - answersOf(a))
    .slice(0, MAX_ROWS);
}

const answersOf = ({ accepted, refused, customised }: StepCounts) =>
  accepted + refused + customised;

function rateOf(counts: StepCounts | undefined): number | null {
  const answers = counts ? answersOf(counts) : 0;
  return counts && answers > 0 ? counts.accepted / answers : null;
}

function toPeriod(days: readonly StepCounts[]): InsightPeriod {
  const sum = (step: BannerStep) => days.reduce((total, day) => total + day[step], 0);
  const counts = {
    shown: sum("shown"),
    accepted: sum("accepted"),
    refused: sum("refused"),
    customised: sum("customised"),
  };
  return { ...counts, rate: rateOf(counts) };
}

type ExportedRow = Columns<BannerDay, "version" | "dimension" | "value"> & {
  day: string;
} & StepCounts;
const EXPORTED = ["day", "version", "dimension", "value", ...BANNER_STEPS] as const;

/** Every count of the period, one line each. */
export async function* exportInsights(
  ctx: Ctx,
  tenant: Tenant,
  { days }: Pick<InsightQuery, "days">,
): AsyncGenerator<string> {
  const rows = await dataOf(ctx, tenant).sql<ExportedRow>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, version, dimension, value, ${BANNER_STEPS.join(", ")}
     FROM banner_days
     WHERE shop = $1 AND day > ${todayIn("$3")} - $2::int AND day <= ${todayIn("$3")}
     ORDER BY day, dimension, version, value`,
    [days, timeZoneOf(tenant)],
  );
  const lines = rows.map((row) => toCsvLine(EXPORTED.map((column) => row[column])));
  yield [toCsvLine(EXPORTED), ...lines].join("");
}
