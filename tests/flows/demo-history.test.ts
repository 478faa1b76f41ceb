// The history of the demo store: written once, in a store whose workers run, and interrupted on the way.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO_TAG_RULES } from "../../app/demo/people.ts";
import { HISTORY_DAYS, OUTAGE_DAYS_AGO } from "../../app/demo/calendar.ts";
import { writeHistory, type DemoStep } from "../../app/demo/history.ts";
import type { Ctx } from "../../app/context.server.ts";
import { verifyConsentChain } from "../../app/domain/consent/verify-chain.ts";
import {
  findBoardRequest,
  listBoard,
  RequestFilters,
} from "../../app/domain/compliance/board/request-list.ts";
import { retryRequest } from "../../app/domain/compliance/board/request-actions.ts";
import { syncCustomers } from "../../app/domain/customers/sync/catch-up.ts";
import {
  countRules,
  countThresholdTags,
} from "../../app/domain/customers/system-tags/rule-settings.ts";
import { readStoreOverview } from "../../app/domain/merchant/home/store-overview.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { createDice } from "../../app/demo/random.ts";
import { visit } from "../../app/demo/traffic.ts";
import { historicTime } from "../../app/runtime/historic-time.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";
import { installStore, setWatermark } from "../support/storefront/synced-store.ts";

let service: Service;
/** The same service as it is beside a sandbox. */
let ctx: Ctx;

const write = (signal = new AbortController().signal, onStep?: (step: DemoStep) => void) =>
  writeHistory(ctx, {
    shop: SHOP,
    storefront: service.sandbox.storefront,
    signal,
    ...(onStep && { onStep }),
  });
const rows = <Row extends Record<string, unknown>>(text: string) =>
  service.database.query<Row>(text);
const count = async (table: string): Promise<number> =>
  (await rows<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n ?? 0;

/** The steps of the writing that went on after the interruption, and the consents before and after it. */
let resumed: { steps: unknown; consentsBefore: number; consentsAfter: number };

const TABLES = [
  "storefront_users",
  "user_tag_map",
  "consent_records",
  "integration_queue",
  "delivery_attempts",
  "event_ledger",
  "oauth_grants",
  "mandates",
  "privacy_requests",
];
const counts = async () =>
  Object.fromEntries(await Promise.all(TABLES.map(async (table) => [table, await count(table)])));

beforeAll(async () => {
  service = await startService({
    background: true,
    env: { EMAIL_API_KEY: "test-email-key" },
  });
  await installStore(service);
  await service.addTenant(SHOP, {
    erp_base_url: service.sandbox.addresses.erpBaseUrl,
    tag_rules: DEMO_TAG_RULES,
    consent_policy_version: "2026-11",
  });
  ctx = { ...service.ctx, config: { ...service.ctx.config, isSandbox: true } };
  await interrupted();
  const consentsBefore = await count("consent_records");
  const steps = await write();
  resumed = { steps, consentsBefore, consentsAfter: await count("consent_records") };
});
afterAll(() => service.stop());

/** Writes the history up to the middle of the step that writes the consents. */
async function interrupted(): Promise<void> {
  const stopping = new AbortController();
  const stopWithinConsents = async () => {
    const before = await count("consent_records");
    await eventually("the first consents", async () => (await count("consent_records")) > before);
    stopping.abort();
  };
  const stopped = write(stopping.signal, (step) => {
    if (step === "agents") void stopWithinConsents();
  });
  await expect(stopped).rejects.toThrow("aborted");
}

it("is never written outside the sandbox", async () => {
  const before = await counts();
  const customers = service.sandbox.storefront.customers(SHOP).length;
  const outside = { shop: SHOP, storefront: service.sandbox.storefront };
  await expect(
    writeHistory(service.ctx, { ...outside, signal: new AbortController().signal }),
  ).rejects.toThrow("for the sandbox only");
  expect(() => historicTime(service.ctx.config, new Date(0))).toThrow("only the sandbox");
  expect(await counts()).toEqual(before);
  expect(service.sandbox.storefront.customers(SHOP)).toHaveLength(customers);
});

it("continues after an interruption, and is written once", async () => {
  expect(resumed.steps).toEqual([
    "consents",
    "store_tags",
    "deliveries",
    "privacy",
    "banner",
    "segments",
  ]);
  expect(resumed.consentsAfter).toBeGreaterThan(resumed.consentsBefore);

  const complete = await counts();
  const { clock } = ctx;
  for (const days of [0, -1, 1]) {
    ctx.clock = { now: () => new Date(clock.now().getTime() + days * 86_400_000) };
    expect(await write()).toEqual([]);
  }
  ctx.clock = clock;
  expect(await counts()).toEqual(complete);
});

describe("the history", () => {
  it("has 400 customers of 12 countries, as the store itself knows them", async () => {
    const [people] = await rows<{ n: number; countries: number; days: number }>(
      `SELECT count(*) AS n, count(DISTINCT country) AS countries,
         count(DISTINCT created_at::date) AS days
       FROM storefront_users WHERE storefront_customer_gid IS NOT NULL`,
    );
    expect(people).toMatchObject({ n: 400, countries: 12 });
    expect(people?.days).toBeGreaterThan(75);

    const customers = service.sandbox.storefront.customers(SHOP);
    const spent = customers.reduce((sum, { amountSpent }) => sum + Number(amountSpent), 0);
    const [ours] = await rows<{ spent: number; orders: number }>(
      "SELECT sum(amount_spent) AS spent, sum(number_of_orders) AS orders FROM storefront_users",
    );
    expect(ours).toEqual({
      spent,
      orders: customers.reduce((sum, one) => sum + Number(one.numberOfOrders), 0),
    });
  });

  it("leaves nothing for the next sync to change", async () => {
    await setWatermark(service, new Date(0).toISOString());
    const tenant = await getTenant(service.ctx, SHOP);
    expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
      outcome: "done",
      counts: { processed: 400, created: 0, updated: 0, unchanged: 400 },
    });
  });

  it("has the tags that the rules give, as many as the Tags screen counts, and the store has them too", async () => {
    const tenant = await getTenant(service.ctx, SHOP);
    const counted = await countRules(service.ctx, tenant, { rules: tenant.config.tag_rules });
    expect(await countThresholdTags(service.ctx, tenant)).toEqual(counted);
    for (const [tag, customers] of Object.entries(counted))
      expect([tag, customers > 5]).toEqual([tag, true]);
    const stored = await rows<{ gid: string; tags: string[] }>(
      `SELECT storefront_customer_gid AS gid, tags FROM storefront_users
       WHERE storefront_customer_gid IS NOT NULL`,
    );
    const atStore = new Map(
      service.sandbox.storefront.customers(SHOP).map(({ gid, tags }) => [gid, tags]),
    );
    for (const { gid, tags } of stored)
      expect(atStore.get(gid)?.toSorted()).toEqual(tags.toSorted());
  });

  it("has no marketing consent by a sign-in", async () => {
    expect(
      await rows(
        `SELECT DISTINCT consent_type FROM consent_records WHERE method = 'storefront_oidc'
         ORDER BY consent_type`,
      ),
    ).toEqual([{ consent_type: "privacy" }, { consent_type: "tos" }]);
  });

  it("has its deliveries in the order of time, as the delivery log shows them", async () => {
    const [log] = await rows(
      `SELECT count(*)::int > 2000 AS long, count(*) FILTER (WHERE at < before)::int AS turned FROM (
         SELECT created_at AS at, lag(created_at) OVER (ORDER BY id) AS before FROM delivery_attempts
         WHERE created_at <= (SELECT (value->>'end')::timestamptz FROM kv WHERE key = 'demo_history')
       ) AS attempts`,
    );
    expect(log).toEqual({ long: true, turned: 0 });
  });

  it("has a valid consent log over 90 days, with rows of visitors and of customers", async () => {
    const [log] = await rows<{ days: number; visitors: number; people: number }>(
      `SELECT count(DISTINCT created_at::date) AS days, count(DISTINCT visitor_id) AS visitors,
         count(DISTINCT user_id) AS people FROM consent_records`,
    );
    expect(log?.days).toBeGreaterThan(85);
    expect(log?.visitors).toBeGreaterThan(900);
    expect(log?.people).toBeGreaterThan(200);
    expect(await verifyConsentChain(service.ctx, await getTenant(service.ctx, SHOP))).toMatchObject(
      { ok: true, problems: [] },
    );
  });

  it("has what became of the banner on each day before today, and segments with their counts", async () => {
    const [banner] = await rows<{ days: number; shown: number; accepted: number }>(
      `SELECT count(DISTINCT day)::int AS days, sum(shown)::int AS shown, sum(accepted)::int AS accepted
       FROM banner_days WHERE dimension = 'all'`,
    );
    expect(banner?.days).toBe(HISTORY_DAYS - 1);
    expect(banner?.shown).toBeGreaterThan(banner?.accepted ?? 0);
    expect(banner?.accepted).toBeGreaterThan(500);
    const segments = await rows<{ name: string; customers: number }>(
      "SELECT name, customers::int FROM segments ORDER BY name",
    );
    expect(segments.map(({ name }) => name)).toEqual([
      "At risk in Germany",
      "Declined or withdrew marketing",
      "VIPs who accept marketing",
    ]);
    for (const { name, customers } of segments) expect([name, customers > 0]).toEqual([name, true]);
  });

  it("shows the outage: fewer decisions and sign-ups, failures, and dead letters that stayed", async () => {
    const perDay = (table: string) =>
      `SELECT (current_date - (created_at AT TIME ZONE 'UTC')::date) AS ago, count(*)::int AS n
       FROM ${table} GROUP BY 1 ORDER BY 1`;
    for (const table of ["consent_records", "storefront_users"]) {
      const days = await rows<{ ago: number; n: number }>(perDay(table));
      const of = (ago: number) => days.find((day) => day.ago === ago)?.n ?? 0;
      // Single days differ: the history ends today, so the outage is on another weekday each day.
      const around = [-3, -2, -1, 1, 2, 3].map((days) => of(OUTAGE_DAYS_AGO + days));
      const usual = around.reduce((sum, n) => sum + n, 0) / around.length;
      expect(of(OUTAGE_DAYS_AGO)).toBeLessThan(0.7 * usual);
    }
    const minutes = await rows<{ ago: number; failed: number }>(
      `SELECT (current_date - (minute AT TIME ZONE 'UTC')::date) AS ago, sum(failed)::int AS failed
       FROM channel_minutes GROUP BY 1`,
    );
    const [worst, second] = minutes.sort((a, b) => b.failed - a.failed);
    expect(worst?.ago).toBe(OUTAGE_DAYS_AGO);
    expect(worst?.failed).toBeGreaterThan(3 * (second?.failed ?? 0));
    const dead = await rows<{ channel: string; n: number }>(
      "SELECT channel, count(*)::int AS n FROM integration_queue WHERE status = 'dead_letter' GROUP BY 1",
    );
    expect(dead.map(({ channel }) => channel)).toEqual(
      expect.arrayContaining(["cms", "erpsys", "profile_platform"]),
    );
  });

  it("counts each attempt in the minute of its day", async () => {
    const [sums] = await rows(
      `SELECT (SELECT sum(delivered + failed) FROM channel_minutes)::int
         = (SELECT count(*) FROM delivery_attempts)::int AS agree,
         (SELECT count(DISTINCT minute::date) FROM channel_minutes)::int > 25 AS spread`,
    );
    expect(sums).toEqual({ agree: true, spread: true });
  });

  it("has what agents asked on most days, refusals and paid orders, none of it in the future", async () => {
    const [activity] = await rows(
      `SELECT count(DISTINCT last_at::date)::int > 20 AS spread, max(last_at) <= now() AS past,
         count(*) FILTER (WHERE outcome = 'refused')::int > 10 AS refused,
         count(*) FILTER (WHERE operation = 'pay_checkout')::int > 3 AS paid
       FROM agent_activity`,
    );
    expect(activity).toEqual({ spread: true, past: true, refused: true, paid: true });
  });

  it("has agents, and mandates and privacy requests in every state", async () => {
    const states = async (text: string) =>
      (await rows<{ state: string }>(text)).map(({ state }) => state).sort();
    expect(
      await states(
        `SELECT DISTINCT CASE WHEN status = 'active' AND expires_at <= now() THEN 'expired'
           ELSE status END AS state FROM mandates`,
      ),
    ).toEqual(["active", "expired", "revoked", "used"]);
    expect(await states("SELECT DISTINCT state FROM privacy_requests")).toEqual([
      "done",
      "failed",
      "received",
      "retained",
      "running",
    ]);
    expect(
      await states("SELECT DISTINCT coalesce(end_reason, 'open') AS state FROM oauth_grants"),
    ).toEqual(["open", "revoked", "revoked_by_store"]);
  });
});

it("has the text of every policy version that its consents name, and their digests", async () => {
  // A mandate's own events show nobody a text.
  const [unproven] = await rows<{ n: number; versions: number }>(
    `SELECT count(*) FILTER (WHERE p.sha256 IS NULL OR p.sha256 IS DISTINCT FROM c.policy_hash)::int AS n,
       count(DISTINCT c.consent_version)::int AS versions
     FROM consent_records c LEFT JOIN consent_policies p
       ON p.shop = c.shop AND p.version = c.consent_version
     WHERE c.consent_version IS NOT NULL AND c.method <> 'commerce'`,
  );
  expect(unproven).toEqual({ n: 0, versions: 2 });
});

it("has deliveries of the 30 days before to compare with", async () => {
  const overview = await readStoreOverview(service.ctx, await getTenant(service.ctx, SHOP));
  if (overview.state !== "known") throw new Error("the overview is not known");
  expect(overview.metrics.delivery.before).toBeGreaterThan(0.95);
  expect(overview.metrics.delivery.before).toBeLessThan(1);
});

it("has a failed privacy request that says why, and that is done when it is tried again", async () => {
  const tenant = await getTenant(service.ctx, SHOP);
  const { requests } = await listBoard(service.ctx, tenant, RequestFilters.parse({}), {
    limit: 100,
    before: null,
  });
  const failed = requests.find(({ state }) => state === "failed");
  expect(failed).toMatchObject({
    can_retry: true,
    problem: { kind: "system", failure: { kind: "rejected", http_status: 402 } },
  });
  await retryRequest(service.ctx, tenant, failed?.id ?? 0);
  await eventually("the request is done", async () => {
    const request = await findBoardRequest(service.ctx, tenant, failed?.id ?? 0);
    return request?.state === "done";
  });
});

// Last, because its shoppers would be counted with those of the history.
it("goes on with shoppers whose changes arrive as webhooks and as consents of visitors", async () => {
  for (const topic of ["customers/create", "customers/update"])
    service.sandbox.storefront.subscribe(SHOP, topic, `${service.url}/webhooks/customer-update`);
  const before = await counts();
  const dice = createDice(7);
  for (let visits = 0; visits < 12; visits += 1)
    await visit({ ctx, sandbox: service.sandbox, shop: SHOP, dice });
  await eventually("the new customers, changes and decisions", async () => {
    const now = await counts();
    return (["storefront_users", "consent_records", "delivery_attempts"] as const).every(
      (table) => (now[table] ?? 0) > (before[table] ?? 0),
    );
  });
});
