// The health of a store's systems: state, reason, last problem, and the numbers of every period.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channels } from "../../../app/domain/channels/index.ts";
import { settlerOf } from "../../../app/domain/bus/settle.ts";
import { foldHours } from "../../../app/domain/bus/log/fold-hours.ts";
import { judgeHealth } from "../../../app/domain/bus/log/health-rules.ts";
import { periodNames, sumCounts } from "../../../app/domain/bus/log/throughput.ts";
import { readDeliveryHealth } from "../../../app/domain/channels/delivery-health.ts";
import { findMissing } from "../../../app/domain/channels/channel-settings.ts";
import { TENANT_FIELDS } from "../../../app/domain/tenants/tenant-config.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { storeFields } from "../../support/bus/channels.ts";
import type { ClaimedItem } from "../../../app/domain/bus/claims/claim.ts";
import { addRows, claimAll, openCircuit } from "../../support/bus/queue.ts";
import { runStep } from "../../support/processes/scheduled-step.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

const tenantWith = async (shop: string, fields: Record<string, unknown>) => {
  await service.addTenant(shop, fields);
  return getTenant(service.ctx, shop);
};
const healthOf = async (shop: string) =>
  readDeliveryHealth(service.ctx, await getTenant(service.ctx, shop), "24h");

/** Rows of a store, as its worker holds them. */
async function claimRows(shop: string, count: number): Promise<ClaimedItem[]> {
  await addRows(service.database, { shop, count });
  const items: ClaimedItem[] = [];
  while (items.length < count)
    items.push(...(await claimAll(service.ctx.home)).filter((item) => item.shop === shop));
  return items;
}

test("the settings named as missing are those that disable a channel, for every channel", async () => {
  const full = await tenantWith("full-store.myshopify.com", {
    ...storeFields(service.sandbox),
    storefront_admin_token: "access-token-0123456789",
  });
  for (const channel of channels.filter(
    ({ name }) => !["storefront", "archive", "backend"].includes(name),
  )) {
    expect([channel.name, channel.isEnabled(full), findMissing(full, channel)]).toEqual([
      channel.name,
      true,
      [],
    ]);
    for (const field of Object.keys(TENANT_FIELDS) as (keyof typeof TENANT_FIELDS)[]) {
      if (field === "enabled_channels") continue;
      const without = {
        ...full,
        config: {
          ...full.config,
          [field]: typeof full.config[field] === "boolean" ? false : undefined,
        },
      };
      const missing = findMissing(without, channel);
      const named = field === "storefront_admin_token" ? "store_connection" : field;
      expect([channel.name, field, missing]).toEqual([
        channel.name,
        field,
        channel.isEnabled(without) ? [] : [named],
      ]);
    }
    const left = { ...full, config: { ...full.config, enabled_channels: ["archive"] } };
    expect([channel.name, findMissing(left, channel)]).toEqual([
      channel.name,
      channel.isEnabled(left) ? [] : ["left_out"],
    ]);
  }
});

test("a system shows state, numbers of the period, what waits, dead letters, and the last problem without its text", async () => {
  await tenantWith(SHOP, {});
  await addRows(service.database, { shop: SHOP, channel: "cms", count: 3, dueInSeconds: 600 });
  const [dead] = await addRows(service.database, { shop: SHOP, channel: "cms" });
  await service.database.query(
    "UPDATE integration_queue SET status = 'dead_letter', dead_lettered_at = now() WHERE id = $1",
    [dead],
  );
  await service.database.query(
    `INSERT INTO channel_minutes (shop, channel, minute, delivered, failed, skipped, latency_ms_sum)
      VALUES ($1, 'cms', date_trunc('minute', now()), 40, 2, 5, 9)`,
    [SHOP],
  );
  await service.database.query(
    `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, http_status,
      latency_ms, error) VALUES ($1, 1, 'a', 'cms', 1, 'failed', 503, 1, 'old'), ($1, 1, 'a', 'cms',
      2, 'failed', 401, 1, 'ada@example.com'), ($1, 1, 'a', 'cms', 3, 'delivered', 200, 1, NULL)`,
    [SHOP],
  );
  await openCircuit(service.database, SHOP, "cms");
  const { systems, available } = await healthOf(SHOP);
  expect(systems.find(({ name }) => name === "cms")).toMatchObject({
    state: "paused",
    reasons: ["failing"],
    paused_until: expect.any(String),
    delivered: 40,
    failed: 2,
    skipped: 5,
    success: 40 / 42,
    waiting: 3,
    dead: 1,
    can_be_tested: true,
    last_failure: { kind: "access_refused", http_status: 401 },
  });
  expect(available).toContainEqual({ name: "erpsys", missing: ["erp_base_url"] });
  expect(available).toContainEqual({ name: "storefront", missing: ["store_connection"] });
  expect(systems.map(({ name }) => name)).not.toContain("archive");
  expect(JSON.stringify(systems)).not.toContain("ada@example.com");
});

describe("the numbers of every period", () => {
  const NUMBERS = "numbers-store.myshopify.com";
  const FOREIGN = "foreign-numbers.myshopify.com";
  const query = <T extends object>(sql: string, values: unknown[]) =>
    service.database.query<T>(sql, values);

  /** Attempts of 32 days, on every 97th minute, in two slots; another store's and the archive's beside. */
  async function fillMinutes(): Promise<void> {
    for (const [shop, channel] of [
      [NUMBERS, "cms"],
      [NUMBERS, "email"],
      [NUMBERS, "archive"],
      [FOREIGN, "cms"],
    ])
      await query(
        `INSERT INTO channel_minutes (shop, channel, minute, slot, delivered, failed, skipped,
          latency_ms_sum, latencies)
        SELECT $1, $2, date_trunc('minute', now()) - n * interval '1 minute', slot, n % 7, n % 3, n % 2, 1,
          ARRAY[0, 0, 0, 0, 0, n % 7 + n % 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        FROM generate_series(0, 46080, 97) AS n, generate_series(0, 1) AS slot`,
        [shop, channel],
      );
  }

  const sumsSince = async (steps: { at: string }[]) =>
    (
      await query<object>(
        `SELECT sum(delivered)::int AS delivered, sum(failed)::int AS failed,
          sum(skipped)::int AS skipped FROM channel_minutes
         WHERE shop = $1 AND channel <> 'archive' AND minute >= $2`,
        [NUMBERS, steps[0]?.at],
      )
    )[0];

  test("equal SQL over the minutes, also when hours are folded and their minutes are gone", async () => {
    const tenant = await tenantWith(NUMBERS, {});
    await service.addTenant(FOREIGN);
    await fillMinutes();
    // One time for all reads: a step of a period may begin meanwhile.
    const now = new Date();
    const ctx = { ...service.ctx, clock: { now: () => now } };
    const read = () =>
      Promise.all(periodNames.map((period) => readDeliveryHealth(ctx, tenant, period)));
    const before = await read();
    for (const { totals, steps } of before) {
      const { delivered, failed, skipped } = totals;
      expect({ delivered, failed, skipped }).toEqual(await sumsSince(steps));
      expect(sumCounts(steps)).toEqual({ delivered, failed, skipped });
    }
    const { hours } = (await runStep(service.ctx, tenant, "rollups")) as { hours: number };
    expect(hours).toBeGreaterThan(1_000);
    // An hour may end between two calls, and is then folded by the second.
    await expect.poll(() => foldHours(service.ctx, tenant)).toBe(0);
    await query(
      "DELETE FROM channel_minutes WHERE shop = $1 AND minute < now() - interval '3 hours'",
      [NUMBERS],
    );
    expect((await read()).map(({ totals, steps }) => ({ totals, steps }))).toEqual(
      before.map(({ totals, steps }) => ({ totals, steps })),
    );
  });

  test("percentiles come from the attempts that were sent", async () => {
    const SPEED = "speed-store.myshopify.com";
    const tenant = await tenantWith(SPEED, {});
    const items = await claimRows(SPEED, 100);
    await Promise.all(
      items.map((item, at) =>
        settlerOf(service.ctx.home).settle(item, {
          to: "delivered",
          httpStatus: 200,
          // 1 to 90 ms, then nine slow ones; the last was not sent.
          latencyMs: at < 90 ? at + 1 : 2_000,
          note: at === 99 ? "archived only" : null,
          isArchived: true,
        }),
      ),
    );
    const { totals } = await readDeliveryHealth(service.ctx, tenant, "1h");
    expect(totals).toMatchObject({ delivered: 99, failed: 0, skipped: 1, success: 1 });
    // Within the range of the histogram that holds the true value.
    expect(totals.p50).toBeGreaterThan(40);
    expect(totals.p50).toBeLessThanOrEqual(70);
    expect(totals.p95).toBeGreaterThan(1_800);
    expect(totals.p95).toBeLessThanOrEqual(3_200);
  });
});

test.each([
  ["idle", "nothing was sent and nothing waits", {}, []],
  ["healthy", "all attempts succeed", { delivered: 200 }, []],
  ["healthy", "one attempt of a hundred fails", { delivered: 99, failed: 1 }, []],
  ["degraded", "two attempts of a hundred fail", { delivered: 98, failed: 2 }, ["failing"]],
  ["degraded", "attempts take long", { delivered: 9, p95Ms: 10_001 }, ["slow"]],
  ["degraded", "an event waits for long", { oldestWaitingSeconds: 901 }, ["waiting"]],
  ["healthy", "an event waits for its retry", { oldestWaitingSeconds: 60 }, []],
  ["healthy", "one attempt of many failed", { delivered: 78, failed: 1 }, []],
  ["degraded", "two attempts of many failed", { delivered: 78, failed: 2 }, ["failing"]],
  ["degraded", "its only attempt failed", { failed: 1 }, ["failing"]],
  ["paused", "its circuit is open", { failed: 5, isPaused: true }, ["failing"]],
])("a system is %s when %s", (state, _, measured, reasons) => {
  const { delivered = 0, failed = 0, ...rest } = measured as Record<string, number>;
  expect(
    judgeHealth({
      counts: { delivered, failed, skipped: 3 },
      p95Ms: null,
      oldestWaitingSeconds: null,
      isPaused: false,
      ...rest,
    }),
  ).toEqual({ state, reasons });
});
