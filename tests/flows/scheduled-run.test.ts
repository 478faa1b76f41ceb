import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findReport } from "../../app/domain/scheduled-run/report.ts";
import { runScheduled, runScheduledNow } from "../../app/domain/scheduled-run/scheduled-run.ts";
import { TENANT_STEPS, type TenantStep } from "../../app/domain/scheduled-run/steps.ts";
import { OutboundError } from "../../app/runtime/errors.ts";
import { eventually, startService, type Service } from "../support/service.ts";
import { installStore, putCustomers, secondsAgo } from "../support/storefront/synced-store.ts";

const QUARTER_MS = 15 * 60_000;
/** A minute into the next quarter of an hour: no test sees one end. */
const aheadMs = QUARTER_MS - (Date.now() % QUARTER_MS) + 60_000;
const clock = { now: () => new Date(Date.now() + aheadMs) };

let service: Service;
const shopOf = (index: number) => `store-${String(index).padStart(4, "0")}.myshopify.com`;
const TENANTS = 200;
const BROKEN = shopOf(77);
const CONNECTED = shopOf(78);

async function registerMany(count: number): Promise<void> {
  await service.database.query(
    `INSERT INTO kv (shop, key, value) SELECT name, 'tenant:' || name,
      jsonb_build_object('registered_at', now()::text, 'storefront_store_domain', name)
      FROM (SELECT 'store-' || lpad(n::text, 4, '0') || '.myshopify.com' AS name
      FROM generate_series(0, $1::int - 1) AS n) AS stores`,
    [count],
  );
}

beforeAll(async () => {
  service = await startService({ clock });
  await registerMany(TENANTS);
  await installStore(service, BROKEN);
  await installStore(service, CONNECTED);
  putCustomers(service, 5, () => secondsAgo(120), CONNECTED);
});
afterAll(() => service.stop());

// No quarter of an hour has had a run, and no run left stores for the next one.
beforeEach(async () => {
  await service.database.query("DELETE FROM kv WHERE key = 'scheduled_run:report'");
});

const counting = (visited: string[], extra: Partial<TenantStep> = {}): TenantStep[] => [
  {
    name: "visit",
    run: async (_ctx, tenant) => ({ visits: visited.push(tenant.shop) && 1 }),
    ...extra,
  },
];

describe("200 tenants, one of them failing", () => {
  it("all are processed, the failing one is reported, and expired keys are deleted", async () => {
    service.sandbox.failNext("storefront", { status: 500, match: BROKEN }, Infinity);
    await service.database.query(
      `INSERT INTO kv (shop, key, value, expires_at)
        SELECT '*', 'old:' || n, '1', now() - interval '1 hour' FROM generate_series(1, 30) AS n`,
    );
    const report = await runScheduled(service.ctx);
    expect(report).toMatchObject({
      state: "finished",
      cause: "schedule",
      tenants: TENANTS,
      errors_total: 4,
      resume_after: null,
      steps: {
        token: { done: 2, failed: 0 },
        webhooks: { done: 1, failed: 1, counts: { created: 9, removed: 0, refused: 2 } },
        loader: { done: 1, failed: 1, counts: { written: 1 } },
        primary_domain: { done: 1, failed: 1, counts: { changed: 0 } },
        customers: { done: 1, failed: 1, counts: { created: 5 } },
        cms: { done: 2, failed: 0 },
      },
    });
    expect(report?.errors).toEqual(
      ["webhooks", "loader", "primary_domain", "customers"].map((step) => ({
        shop: BROKEN,
        step,
        message: expect.stringContaining("500"),
        system: "storefront",
      })),
    );
    expect(report?.expired_keys).toBeGreaterThanOrEqual(30);
    expect(await service.database.query("SELECT 1 FROM kv WHERE key LIKE 'old:%'")).toEqual([]);
    expect(await findReport(service.ctx)).toEqual(report);
    const line = service.logged.findLast(({ event }) => event === "scheduled_run.finished");
    expect(line?.steps).toEqual(
      Object.entries(report?.steps ?? {}).map(([step, counts]) => ({ step, ...counts })),
    );
    service.sandbox.clearFaults();
    // 200 tenants with six steps each.
  }, 240_000);

  it("a quarter of an hour has one run; a manual one is additional", async () => {
    expect(await runScheduled(service.ctx, { steps: [] })).toMatchObject({ cause: "schedule" });
    expect(await runScheduled(service.ctx)).toBeNull();
    expect(await runScheduledNow(service.ctx, { steps: [] })).toMatchObject({
      cause: "manual",
      tenants: TENANTS,
    });
  });

  it("the runs go on after the clock was set back by a day", async () => {
    await runScheduledNow(service.ctx, { steps: [] });
    const yesterday = new Date(service.ctx.clock.now().getTime() - 86_400_000);
    const ctx = { ...service.ctx, clock: { now: () => yesterday } };
    expect(await runScheduled(ctx, { steps: [] })).toMatchObject({ state: "finished" });
    expect(await runScheduled(ctx, { steps: [] })).toBeNull();
    expect(await runScheduled(service.ctx, { steps: [] })).toMatchObject({ state: "finished" });
  });

  it("of two concurrent runs one runs", async () => {
    const visited: string[] = [];
    let begin = () => {};
    let goOn = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    const first = runScheduledNow(service.ctx, {
      steps: counting(visited, {
        async run(_ctx, tenant) {
          begin();
          await mayGoOn;
          return { visits: visited.push(tenant.shop) && 1 };
        },
      }),
    });
    await begun;
    await expect(runScheduledNow(service.ctx, { steps: counting(visited) })).rejects.toMatchObject({
      code: "scheduled_run_running",
    });
    goOn();
    await first;
    expect(visited).toHaveLength(TENANTS);
  });

  it("a run whose process died is repeated within its quarter of an hour", async () => {
    await runScheduledNow(service.ctx, { steps: [] });
    await service.database.query(
      "UPDATE kv SET value = value || '{\"state\": \"running\"}' WHERE key = 'scheduled_run:report'",
    );
    const visited: string[] = [];
    expect(await runScheduled(service.ctx, { steps: counting(visited) })).toMatchObject({
      state: "finished",
    });
    expect(visited).toHaveLength(TENANTS);
  });

  it("a run that exceeds its time is continued by the next one where it stopped", async () => {
    const visited: string[] = [];
    const stop = new AbortController();
    const first = await runScheduledNow(service.ctx, {
      signal: stop.signal,
      steps: counting(visited, {
        run: async (_ctx, tenant) => (visited.push(tenant.shop) === 50 && stop.abort(), {}),
      }),
    });
    expect(first).toMatchObject({ state: "interrupted", resume_after: expect.any(String) });
    const early = new Set(visited);
    const rest: string[] = [];
    expect(await runScheduled(service.ctx, { steps: counting(rest) })).toMatchObject({
      state: "finished",
      tenants: TENANTS,
      resume_after: null,
    });
    // Eight tenants run in parallel and may overtake each other.
    expect(rest.slice(0, TENANTS - early.size - 8).filter((shop) => early.has(shop))).toEqual([]);
    expect(new Set(rest).size).toBe(TENANTS);
  });

  it("steps that the end of the run kept from running are counted, and the next run begins with their stores", async () => {
    const worked: string[] = [];
    const ended: string[] = [];
    const rest: string[] = [];
    const stop = new AbortController();
    const steps = [
      ...counting(worked, {
        run: async (_ctx, tenant) => (worked.push(tenant.shop) === 20 && stop.abort(), {}),
      }),
      ...counting(ended, { name: "end" }),
    ];
    const report = await runScheduledNow(service.ctx, { signal: stop.signal, steps });
    expect(report.steps.end?.cut).toBeGreaterThan(0);
    const [firstCut] = worked.filter((shop) => !ended.includes(shop) && shop >= shopOf(8)).sort();
    await runScheduledNow(service.ctx, { steps: counting(rest) });
    expect(rest.slice(0, 8)).toContain(firstCut);
    expect(new Set(rest).size).toBe(TENANTS);
  });

  it("a step that takes long is ended in time for the steps after it", async () => {
    const shop = shopOf(0);
    const ended: string[] = [];
    const steps = [
      ...counting([], {
        name: "long",
        run: async (_ctx, tenant, signal) => (
          tenant.shop === shop && (await once(signal, "abort")),
          {}
        ),
      }),
      ...counting(ended),
    ];
    await runScheduledNow(service.ctx, { budgetMs: 8_000, steps });
    expect(ended).toContain(shop);
  });

  it("a step that never ends counts as failed after its time, and the steps after it run", async () => {
    const shop = shopOf(3);
    const ended: string[] = [];
    const steps = [
      ...counting([], {
        name: "endless",
        run: (_ctx, tenant) =>
          tenant.shop === shop ? new Promise(() => {}) : Promise.resolve({ visits: 1 }),
      }),
      ...counting(ended),
    ];
    const report = await runScheduledNow(service.ctx, { budgetMs: 4_000, graceMs: 100, steps });
    expect(report.errors).toEqual([
      { shop, step: "endless", message: "endless did not end in time" },
    ]);
    expect(ended).toContain(shop);
  });

  it("a run that fails at every store reports the first errors, cut short, and the number of all", async () => {
    const steps = counting([], {
      run: () => Promise.reject(new Error("x".repeat(10_000))),
    });
    const report = await runScheduledNow(service.ctx, { steps });
    expect([report.errors.length, report.errors_total]).toEqual([50, TENANTS]);
    expect(report.errors[0]?.message).toHaveLength(300);
  });

  it("a store that gives no answer is waited for once: its other steps that ask it fail at once, and all others run", async () => {
    const silent = shopOf(3);
    const asked: string[] = [];
    const ended: string[] = [];
    const steps: TenantStep[] = [
      ...counting([], {
        name: "first",
        asksStorefront: true,
        run: async (_ctx, tenant) => {
          if (tenant.shop === silent) throw new OutboundError("storefront", "timeout");
          return {};
        },
      }),
      ...counting(asked, { name: "second", asksStorefront: true }),
      ...counting(ended, { name: "third" }),
    ];
    const report = await runScheduledNow(service.ctx, { steps });
    expect(report.errors.map(({ shop, step }) => [shop, step])).toEqual([
      [silent, "first"],
      [silent, "second"],
    ]);
    expect(asked).not.toContain(silent);
    expect([asked.length, ended.length]).toEqual([TENANTS - 1, TENANTS]);
  });

  it("a store that is erased during the run is no error", async () => {
    const erased = shopOf(150);
    const steps = counting([], {
      run: async (_ctx, tenant) => {
        if (tenant.shop === shopOf(0))
          await service.database.query("DELETE FROM kv WHERE shop = $1", [erased]);
        return {};
      },
    });
    try {
      expect(await runScheduledNow(service.ctx, { steps })).toMatchObject({ errors: [] });
    } finally {
      await service.database.query(
        `INSERT INTO kv (shop, key, value) VALUES ($1, 'tenant:' || $1::text,
          jsonb_build_object('registered_at', now()::text, 'storefront_store_domain', $1::text))`,
        [erased],
      );
    }
  });

  it("a run that another process took over goes to no further tenant and leaves that one's report alone", async () => {
    const visited: string[] = [];
    const query = (sql: string) => service.database.query(sql);
    const takenOver = async () => {
      await query(`UPDATE kv SET value = '"another-process"' WHERE key = 'lease:scheduled_run'`);
      await query(
        `UPDATE kv SET value = value || '{"run_id": "of-another-process"}' WHERE key = 'scheduled_run:report'`,
      );
    };
    const run = runScheduledNow(service.ctx, {
      steps: counting(visited, {
        run: async (_ctx, tenant, signal) => {
          if (visited.push(tenant.shop) === 8) await takenOver();
          await once(signal, "abort");
          return {};
        },
      }),
    });
    await expect(run).rejects.toMatchObject({ code: "scheduled_run_running" });
    expect(visited).toHaveLength(8);
    expect(await findReport(service.ctx)).toMatchObject({ run_id: "of-another-process" });
    expect(await query("DELETE FROM kv WHERE key = 'lease:scheduled_run' RETURNING value")).toEqual(
      [{ value: "another-process" }],
    );
  });

  it("a run that finds its report taken over stops as well", async () => {
    const visited: string[] = [];
    let isEnded = false;
    const run = runScheduledNow(service.ctx, {
      reportEveryMs: 0,
      steps: [
        {
          name: "take over",
          async run(_ctx, tenant, signal) {
            if (visited.push(tenant.shop) === 1) {
              await service.database.query(
                `UPDATE kv SET value = '"another-process"' WHERE key = 'lease:scheduled_run'`,
              );
              return {};
            }
            if (!signal.aborted) await once(signal, "abort");
            isEnded = true;
            return {};
          },
        },
      ],
    });
    await expect(run).rejects.toMatchObject({ code: "scheduled_run_running" });
    await eventually("the end of the others", () => isEnded);
    await service.database.query("DELETE FROM kv WHERE key = 'lease:scheduled_run'");
  });

  it("shows its progress while it runs", async () => {
    let seen: unknown;
    await runScheduledNow(service.ctx, {
      steps: [{ name: "look", run: async (ctx) => ((seen ??= await findReport(ctx)), {}) }],
    });
    expect(seen).toMatchObject({ state: "running", cause: "manual" });
  });

  it("shows the steps of a store that is not finished", async () => {
    let seen: unknown;
    let look = () => {};
    const looked = new Promise<void>((done) => (look = done));
    await runScheduledNow(service.ctx, {
      reportEveryMs: 0,
      steps: [
        {
          name: "wait",
          // All but one store wait for the look.
          run: async (_ctx, tenant) => (await (tenant.shop === shopOf(0) ? null : looked), {}),
        },
        {
          name: "look",
          async run(ctx) {
            seen ??= await findReport(ctx);
            look();
            return {};
          },
        },
      ],
    });
    expect(seen).toMatchObject({ tenants: 8, steps: { wait: { done: 1 } } });
  });
});

describe("token keep-alive", () => {
  it("a refresh token that expires within a week is exchanged; others are not", async () => {
    const steps = TENANT_STEPS.filter(({ name }) => name === "token");
    const refreshes = () => service.sandbox.storefront.refreshCalls(CONNECTED).length;
    const before = refreshes();
    await runScheduledNow(service.ctx, { steps });
    expect(refreshes()).toBe(before);
    await service.database.query(
      `UPDATE kv SET value = jsonb_set(value, '{connection,refresh_token_expires_at}',
        to_jsonb((now() + interval '3 days')::text)), version = version + 1 WHERE key = $1`,
      [`tenant:${CONNECTED}`],
    );
    for (let run = 0; run < 2; run += 1) {
      await runScheduledNow(service.ctx, { steps });
      expect(refreshes()).toBe(before + 1);
    }
  });
});
