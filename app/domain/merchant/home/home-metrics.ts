// The metrics of the app's home: the last 30 days of the store's time zone, today included, against the 30 days before.
import type { Ctx } from "../../../context.server.ts";
import {
  lastDaySteps,
  successRate,
  sumCounts,
  throughputQuery,
  toThroughput,
  type AttemptCounts,
  type ChannelStep,
  type Throughput,
} from "../../bus/log/throughput.ts";
import { internalChannelNames } from "../../bus/channel.ts";
import {
  consentDaysRead,
  toMarketingDays,
  type CountedDay,
  type StoredDay,
} from "../../consent/consent-counts.ts";
import {
  customerDaysRead,
  toCustomerDays,
  type CustomerDayCount,
  type CustomerDays,
} from "../../customers/customer-days.ts";
import type { Tenant } from "../../tenants/tenant.ts";

const METRIC_DAYS = 30;

/** Null: nothing was measured. */
export type HomeMetric = {
  value: number | null;
  /** The value of the period before; for a total, the value at its end. */
  before: number | null;
  /** One per day of the period, oldest first. */
  days: (number | null)[];
};

export type HomeMetrics = {
  /** All customers, at the end of each day. */
  customers: HomeMetric;
  signUps: HomeMetric;
  /** Granted of granted and declined marketing consents, 0 to 1. */
  optIn: HomeMetric;
  /** Delivered of delivered and failed attempts, 0 to 1. */
  delivery: HomeMetric;
  /** Marketing decisions of each day of the period. */
  decisions: CountedDay[];
};

type MetricRows = { customers: CustomerDayCount; consents: StoredDay; deliveries: ChannelStep };

export function homeMetricsQuery(ctx: Ctx, tenant: Tenant) {
  const deliveries = throughputQuery(ctx, tenant, lastDaySteps(2 * METRIC_DAYS), {
    except: internalChannelNames(ctx),
    hasLatencies: false,
  });
  return {
    reads: {
      customers: customerDaysRead(tenant, 2 * METRIC_DAYS),
      consents: consentDaysRead(tenant, 2 * METRIC_DAYS),
      deliveries: deliveries.read,
    },
    toMetrics: (rows: { [Name in keyof MetricRows]: MetricRows[Name][] }): HomeMetrics =>
      toMetrics(
        toCustomerDays(rows.customers),
        toMarketingDays(rows.consents),
        toThroughput(deliveries.starts, rows.deliveries),
      ),
  };
}

function toMetrics(
  customers: CustomerDays,
  consents: readonly CountedDay[],
  throughput: Throughput,
): HomeMetrics {
  const attempts = throughput.steps.map((_, day) =>
    sumCounts([...throughput.channels.values()].flatMap((counts) => counts[day] ?? [])),
  );
  return {
    customers: toTotal(
      customers.before,
      customers.days.map(({ added }) => added),
    ),
    signUps: toMetric(
      customers.days.map(({ signUps }) => signUps),
      sumOf,
    ),
    optIn: toMetric(consents, optInRate),
    delivery: toMetric(attempts, (days: readonly AttemptCounts[]) => successRate(sumCounts(days))),
    decisions: consents.slice(-METRIC_DAYS),
  };
}

function toMetric<Day>(
  days: readonly Day[],
  measure: (days: readonly Day[]) => number | null,
): HomeMetric {
  const now = days.slice(-METRIC_DAYS);
  return {
    value: measure(now),
    before: measure(days.slice(0, -METRIC_DAYS)),
    days: now.map((day) => measure([day])),
  };
}

/** A total grows from what was there before the first day. */
function toTotal(start: number, added: readonly number[]): HomeMetric {
  const totals = added.map((_, day) => start + sumOf(added.slice(0, day + 1)));
  return {
    value: totals.at(-1) ?? start,
    before: totals.at(-METRIC_DAYS - 1) ?? start,
    days: totals.slice(-METRIC_DAYS),
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** A withdrawal is no answer to a question: it does not count. */
function optInRate(days: readonly CountedDay[]): number | null {
  const granted = sumOf(days.map((day) => day.granted));
  const declined = sumOf(days.map((day) => day.declined));
  return granted + declined === 0 ? null : granted / (granted + declined);
}
