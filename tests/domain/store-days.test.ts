// Days begin at midnight of the store's time zone, wherever something is counted or filtered by day.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ActivityFilters } from "../../app/domain/agent-activity/activity-filters.ts";
import { listActivity } from "../../app/domain/agent-activity/activity-list.ts";
import { readActivityTotals } from "../../app/domain/agent-activity/activity-totals.ts";
import { AttemptFilters } from "../../app/domain/bus/log/attempt-filters.ts";
import { listAttempts } from "../../app/domain/bus/log/attempt-list.ts";
import { PERIODS, throughputQuery, toThroughput } from "../../app/domain/bus/log/throughput.ts";
import { readConsentCounts } from "../../app/domain/consent/consent-counts.ts";
import { ConsentFilters, listConsentLog } from "../../app/domain/consent/consent-log.ts";
import { BannerEvent } from "../../app/domain/consent/insights/banner-event.ts";
import { addBannerCounts } from "../../app/domain/consent/insights/count-banner-event.ts";
import { exportInsights, readInsights } from "../../app/domain/consent/insights/read-insights.ts";
import { recordConsent } from "../../app/domain/consent/record-consent.ts";
import {
  customerDaysRead,
  foldCustomerDays,
  toCustomerDays,
} from "../../app/domain/customers/customer-days.ts";
import { readFilter } from "../../app/domain/customers/list/customer-filter.ts";
import { prepareFilter } from "../../app/domain/customers/list/filter-condition.ts";
import { listCustomers } from "../../app/domain/customers/list/list-customers.ts";
import { changeTenantRecord, registerTenant } from "../../app/domain/tenants/tenant-record.ts";
import { dataOf, getTenant, type Tenant } from "../../app/domain/tenants/tenant.ts";
import { dayOf, lastDays, startOfDay } from "../../app/runtime/calendar-days.ts";
import { readTogether } from "../../app/runtime/database/read-together.ts";
import { historicTime } from "../../app/runtime/historic-time.ts";
import { putPerson } from "../support/storefront/customers.ts";
import { startTestApp, type TestApp } from "../support/browser/screens-server.ts";

const SHOP = "days.myshopify.com";
let app: TestApp;

async function readCustomerDays(tenant: Tenant, count: number) {
  const { days } = await readTogether(dataOf(app.ctx, tenant).sql, {
    days: customerDaysRead(tenant, count),
  });
  return toCustomerDays(days);
}

async function readDeliveries(tenant: Tenant) {
  const { starts, read } = throughputQuery(app.ctx, tenant, PERIODS["30d"]);
  const { rows } = await readTogether(dataOf(app.ctx, tenant).sql, { rows: read });
  return toThroughput(starts, rows);
}

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.database.truncate();
  await registerTenant(app.ctx, SHOP);
});

async function inZone(zone: string): Promise<Tenant> {
  await changeTenantRecord(app.ctx, SHOP, { connection: { time_zone: zone } });
  return getTenant(app.ctx, SHOP);
}

async function putCustomerAt(at: string, email = `${at}@x.example`): Promise<void> {
  const id = await putPerson(app.database, SHOP, { email });
  await app.database.query("UPDATE storefront_users SET created_at = $2 WHERE id = $1", [id, at]);
}

/** The last instant of the day before, and the first of the day. */
const around = (zone: string, day: string): [string, string] => {
  const start = startOfDay(zone, day).getTime();
  return [new Date(start - 1).toISOString(), new Date(start).toISOString()];
};

/** Far on both sides of UTC, and the days on which the clocks change. */
const MIDNIGHTS = [
  ["Australia/Sydney", "2026-07-15", "2026-07-14T14:00:00.000Z"],
  ["Australia/Sydney", "2026-10-05", "2026-10-04T13:00:00.000Z"],
  ["America/Los_Angeles", "2026-03-09", "2026-03-09T07:00:00.000Z"],
  ["America/Los_Angeles", "2026-11-01", "2026-11-01T07:00:00.000Z"],
  ["America/Havana", "2026-03-08", "2026-03-08T05:00:00.000Z"],
  ["Asia/Kathmandu", "2026-07-15", "2026-07-14T18:15:00.000Z"],
] as const;

describe.each(MIDNIGHTS)("in %s the day %s", (zone, day, start) => {
  const dayBefore = new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000)
    .toISOString()
    .slice(0, 10);

  test("begins at its own midnight for the filter of sign-ups and for the counts of customers", async () => {
    const tenant = await inZone(zone);
    const [last, first] = around(zone, day);
    expect(first).toBe(start);
    await putCustomerAt(last, "late@x.example");
    await putCustomerAt(first, "early@x.example");
    const joined = async (on: string) => {
      const query = new URLSearchParams({ joined_from: on, joined_to: on });
      const filter = await prepareFilter(app.ctx, tenant, readFilter(query));
      const page = await listCustomers(app.ctx, tenant, { filter, sort: "name asc", limit: 9 });
      return page.customers.map(({ email }) => email);
    };
    expect(await joined(dayBefore)).toEqual(["late@x.example"]);
    expect(await joined(day)).toEqual(["early@x.example"]);
    await foldCustomerDays(app.ctx, tenant);
    expect(
      await app.database.query("SELECT day::text, added FROM customer_days ORDER BY day"),
    ).toEqual([
      { day: dayBefore, added: 1 },
      { day, added: 1 },
    ]);
  });

  test("begins at its own midnight for the counts of consents and the log's filter", async () => {
    const tenant = await inZone(zone);
    const customer = await putPerson(app.database, SHOP, { email: "p@x.example" });
    const entries = around(zone, day).map((at, index) => ({
      userId: customer,
      consentType: "marketing",
      action: index === 0 ? "granted" : "revoked",
      method: "banner",
      consentId: `c-${index}`,
      createdAt: historicTime({ isSandbox: true }, new Date(at)),
    }));
    await dataOf(app.ctx, tenant).transaction((sql) => recordConsent(sql, tenant, entries));
    expect(
      await app.database.query("SELECT day::text, outcome FROM consent_days ORDER BY day"),
    ).toEqual([
      { day: dayBefore, outcome: "granted" },
      { day, outcome: "withdrawn" },
    ]);
    const log = async (query: Record<string, string>) => {
      const filters = ConsentFilters.parse(query);
      const page = { limit: 9, before: null };
      const { records } = await listConsentLog(app.ctx, tenant, filters, page);
      return records.map(({ decision }) => decision);
    };
    expect(await log({ from: dayBefore, until: dayBefore })).toEqual(["granted"]);
    expect(await log({ from: day, decision: "withdrawn" })).toEqual(["withdrawn"]);
    expect(await log({ from: day, until: "9999-12-31" })).toEqual(["withdrawn"]);
  });

  test("begins at its own midnight for the filters of deliveries and of agents' activity", async () => {
    const tenant = await inZone(zone);
    const { query } = app.database;
    for (const [index, at] of around(zone, day).entries()) {
      await query(
        `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms, created_at)
          VALUES ($1, $2::int, 'e-' || $2::int, 'cms', 1, 'delivered', 5, $3)`,
        [SHOP, index, at],
      );
      await query(
        `INSERT INTO agent_activity (shop, operation, outcome, calls, started_at, last_at)
          VALUES ($1, 'op-' || $2::int, 'done', 1, $3, $3)`,
        [SHOP, index, at],
      );
    }
    const found = async (from: string, to: string) => {
      const days = { from, to };
      const [attempts, activity] = await Promise.all([
        listAttempts(app.ctx, tenant, AttemptFilters.parse(days), { limit: 9, before: null }),
        listActivity(app.ctx, tenant, ActivityFilters.parse(days), { limit: 9, after: null }),
      ]);
      return [
        attempts.attempts.map(({ event_id: id }) => id),
        activity.activity.map(({ operation }) => operation),
      ];
    };
    expect(await found(dayBefore, dayBefore)).toEqual([["e-0"], ["op-0"]]);
    expect(await found(day, day)).toEqual([["e-1"], ["op-1"]]);
  });
});

// One of these is a day before the other at every instant.
describe.each([
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
  "Australia/Sydney",
  "America/Los_Angeles",
])("the charts of a store in %s", (zone) => {
  test("end with its own today, and count what happened just after and before its midnights", async () => {
    const tenant = await inZone(zone);
    const { ctx } = app;
    const days = lastDays(zone, 30, new Date());
    const today = days.at(-1)?.day;
    const customer = await putPerson(app.database, SHOP, { email: "p@x.example" });
    const third = days[2] as (typeof days)[number];
    const [last, first] = around(zone, third.day);
    await putCustomerAt(last);
    await putCustomerAt(first);
    await dataOf(ctx, tenant).transaction((sql) =>
      recordConsent(sql, tenant, [
        {
          userId: customer,
          consentType: "marketing",
          action: "granted",
          method: "banner",
          consentId: "c",
        },
      ]),
    );
    const seen = { step: "shown", version: 0, language: "de", device: "phone", region: "DE" };
    await addBannerCounts(dataOf(ctx, tenant).sql, tenant, [BannerEvent.parse(seen)]);
    for (const at of [last, first])
      await app.database.query(
        `WITH minute AS (INSERT INTO channel_minutes (shop, channel, minute, delivered, failed, latency_ms_sum)
             VALUES ($1, 'cms', date_trunc('minute', $2::timestamptz), 1, 0, 0))
           INSERT INTO agent_activity (shop, operation, outcome, calls, started_at, last_at)
             VALUES ($1, 'get_identity', 'done', 1, $2, $2)`,
        [SHOP, at],
      );

    const [customers, { days: consents, rates }, insights, activity, throughput] =
      await Promise.all([
        readCustomerDays(tenant, 30),
        readConsentCounts(ctx, tenant, 30),
        readInsights(ctx, tenant, { days: 30, by: "region" }),
        readActivityTotals(ctx, tenant),
        readDeliveries(tenant),
      ]);
    // The day may have changed since.
    expect([today, dayOf(zone, new Date())]).toContain(customers.days.at(-1)?.day);
    for (const chart of [consents, insights.days, activity.days])
      expect(chart.map(({ day }) => day)).toEqual(customers.days.map(({ day }) => day));
    expect(customers.days).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ day: days[1]?.day, added: 1 }),
        expect.objectContaining({ day: third.day, added: 1 }),
        expect.objectContaining({ day: today, added: 1 }),
      ]),
    );
    expect(consents.at(-1)).toMatchObject({ granted: 1 });
    expect(rates[0]).toMatchObject({ granted: 1, rate: 1 });
    expect(insights.days.at(-1)).toMatchObject({ day: today, shown: 1 });
    expect(insights.rows).toMatchObject([{ value: "DE", shown: 1 }]);
    let file = "";
    for await (const part of exportInsights(ctx, tenant, { days: 7 })) file += part;
    expect(file).toContain(`${today},0,all,,1,`);
    expect(activity.days.filter(({ done }) => done > 0).map(({ day }) => day)).toEqual([
      days[1]?.day,
      third.day,
    ]);
    expect(throughput.steps).toEqual(days.map(({ start }) => start.toISOString()));
    expect(
      throughput.channels
        .get("cms")
        ?.map(({ delivered }) => delivered)
        .slice(0, 4),
    ).toEqual([0, 1, 1, 0]);
  });
});

test("after a change of the zone the customers move to their day of the new one", async () => {
  const at = "2026-07-14T14:30:00Z";
  await putCustomerAt(at);
  await foldCustomerDays(app.ctx, await inZone("America/Los_Angeles"));
  const tenant = await inZone("Australia/Sydney");
  await foldCustomerDays(app.ctx, tenant);
  expect(await app.database.query("SELECT day::text FROM customer_days WHERE added > 0")).toEqual([
    { day: "2026-07-15" },
  ]);
  expect((await readCustomerDays(tenant, 30)).before).toBe(1);
});

test("a zone that the database does not know counts UTC days, and fails no write and no screen", async () => {
  const tenant = { ...(await inZone("UTC")), connection: { time_zone: "Nowhere/City" } };
  await dataOf(app.ctx, tenant).transaction((sql) =>
    recordConsent(sql, tenant, [
      {
        userId: null,
        visitorId: "v",
        consentType: "cookie",
        action: "granted",
        method: "banner",
        consentId: "c",
        createdAt: historicTime({ isSandbox: true }, new Date("2026-07-14T23:59:59Z")),
      },
    ]),
  );
  expect(await app.database.query("SELECT day::text FROM consent_days")).toEqual([
    { day: "2026-07-14" },
  ]);
  expect(await readCustomerDays(tenant, 7)).toMatchObject({ before: 0 });
  expect((await readConsentCounts(app.ctx, tenant, 7)).days).toHaveLength(7);
});
