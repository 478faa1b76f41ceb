// The scheduled run (SPEC "Scheduled run"): each step of each tenant separately, and once per run
// the removal of expired keys. One runner across processes, by a lease; when a quarter of an hour
// has no finished run, the next process that checks makes up for it.
import type { Ctx } from "../../context.server.ts";
import { PLATFORM } from "../../runtime/database/database.ts";
import { AppError } from "../../runtime/errors.ts";
import { deleteExpiredKeys } from "../../runtime/database/kv.ts";
import { LeaseLost, withLease, type Lease } from "../../runtime/database/queue/lease.ts";
import { forgetHistory } from "../../runtime/database/retention.ts";
import { applyPlatformRetention } from "../compliance/retention/apply-retention.ts";
import { REGION_RULES } from "../inventory/row-rules.ts";
import {
  findReport,
  newReport,
  recordFailure,
  recordStep,
  saveReport,
  servedCells,
  type ScheduledRunReport,
} from "./report.ts";
import { TENANT_STEPS, type TenantStep } from "./steps.ts";
import { listShopsAfter } from "../tenants/directory.ts";
import { findTenant, getTenant } from "../tenants/tenant.ts";

const SLOT_MS = 15 * 60_000;
const TENANTS_AT_ONCE = 8;
const SHOPS_PAGE = 200;
/** Ends before the next run is due. */
const BUDGET_MS = 12 * 60_000;
const REPORT_EVERY_MS = 1_000;

export type ScheduledRunOptions = {
  signal?: AbortSignal;
  cause?: "schedule" | "manual";
  budgetMs?: number;
  reportEveryMs?: number;
  steps?: readonly TenantStep[];
};

/**
 * Null when another process runs, or took over because this one was suspended, or when this quarter of an hour has had
 * its run.
 */
export async function runScheduled(
  ctx: Ctx,
  options: ScheduledRunOptions = {},
): Promise<ScheduledRunReport | null> {
  try {
    // Before the lease: a look that finds nothing to do writes nothing.
    if (options.cause !== "manual" && hasRun(await findReport(ctx), slotOf(ctx))) return null;
    return await runUnderLease(ctx, options);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    ctx.log.warn("scheduled_run.lease_lost", { reason: error.message });
    return null;
  }
}

const slotOf = (ctx: Ctx): number => Math.floor(ctx.clock.now().getTime() / SLOT_MS);

/**
 * A report of a later slot is from a process whose clock is a little ahead, or from before this machine's clock was
 * set back: that must not stop the runs until the old time is reached.
 */
const hasRun = (last: ScheduledRunReport | null, slot: number): boolean =>
  last?.state === "finished" && last.slot >= slot && last.slot <= slot + 1;

async function runUnderLease(
  ctx: Ctx,
  options: ScheduledRunOptions,
): Promise<ScheduledRunReport | null> {
  const held = await withLease(
    ctx.home.forTenant(PLATFORM).sql,
    ["scheduled_run", servedCells(ctx)].filter((part) => part !== null).join(" "),
    ctx.random.uuid(),
    async (lease) => {
      const slot = slotOf(ctx);
      const last = await findReport(ctx);
      if (options.cause !== "manual" && hasRun(last, slot)) return null;
      return run(
        ctx,
        lease,
        newReport(ctx, options.cause ?? "schedule", slot),
        last?.resume_after ?? null,
        options,
      );
    },
  );
  return held?.result ?? null;
}

/** Runs now, outside the schedule. Throws `scheduled_run_running`. */
export async function runScheduledNow(
  ctx: Ctx,
  options: ScheduledRunOptions = {},
): Promise<ScheduledRunReport> {
  const report = await runScheduled(ctx, { ...options, cause: "manual" });
  if (!report) throw new AppError("scheduled_run_running");
  return report;
}

async function run(
  ctx: Ctx,
  lease: Lease,
  report: ScheduledRunReport,
  resumeAfter: string | null,
  options: ScheduledRunOptions,
): Promise<ScheduledRunReport> {
  const started = performance.now();
  const budget = AbortSignal.timeout(options.budgetMs ?? BUDGET_MS);
  const signal = AbortSignal.any([
    budget,
    lease.signal,
    ...(options.signal ? [options.signal] : []),
  ]);
  const reportEveryMs = options.reportEveryMs ?? REPORT_EVERY_MS;
  let savedAt = started;
  await saveReport(ctx, lease, report);
  const progress = async () => {
    if (performance.now() - savedAt < reportEveryMs) return;
    savedAt = performance.now();
    report.ms = Math.round(savedAt - started);
    await saveReport(ctx, lease, report);
  };

  const walk = walkShops(ctx, resumeAfter);
  let lastShop: string | null = null;
  let isComplete = false;
  await Promise.all(
    Array.from({ length: TENANTS_AT_ONCE }, async () => {
      while (!signal.aborted) {
        const { value: shop, done } = await walk.next();
        if (done) {
          isComplete = true;
          return;
        }
        lastShop = shop;
        if (!(await isServed(ctx, shop))) continue;
        report.tenants += 1;
        await runTenant(ctx, shop, report, signal, options.steps ?? TENANT_STEPS);
        await progress();
      }
    }),
  );
  for (const region of ctx.regions.names()) {
    report.expired_keys += await deleteAllExpired(ctx, region, options.signal);
    report.forgotten_rows += await forgetOld(ctx, region, signal);
  }
  Object.assign(report, {
    state: options.signal?.aborted ? "interrupted" : "finished",
    finished_at: ctx.clock.now().toISOString(),
    ms: Math.round(performance.now() - started),
    resume_after: isComplete ? null : lastShop,
  });
  await saveReport(ctx, lease, report);
  // As a list: the log would take the step `token` for a secret.
  const steps = Object.entries(report.steps).map(([step, counts]) => ({ step, ...counts }));
  ctx.log.info("scheduled_run.finished", { ...report, steps, errors: report.errors_total });
  return report;
}

/** A store of a cell that other processes serve has its run there. */
async function isServed(ctx: Ctx, shop: string): Promise<boolean> {
  const tenant = ctx.config.servedCells && (await findTenant(ctx, shop));
  return !tenant || ctx.regions.serves(tenant.region);
}

/** All shops once, one page in memory at a time, starting where the last run stopped. */
async function* walkShops(ctx: Ctx, resumeAfter: string | null): AsyncGenerator<string> {
  const until = resumeAfter ?? "";
  for (const isSecondHalf of resumeAfter === null ? [true] : [false, true]) {
    for (let after = isSecondHalf ? "" : until; ;) {
      const shops = await listShopsAfter(ctx, after, SHOPS_PAGE);
      for (const shop of shops) {
        if (isSecondHalf && resumeAfter !== null && shop > until) return;
        yield shop;
      }
      if (shops.length < SHOPS_PAGE) break;
      after = shops.at(-1) as string;
    }
  }
}

async function runTenant(
  ctx: Ctx,
  shop: string,
  report: ScheduledRunReport,
  signal: AbortSignal,
  steps: readonly TenantStep[],
): Promise<void> {
  for (const step of steps) {
    if (signal.aborted) return;
    const started = performance.now();
    try {
      // Read again for each step, because the previous one may have changed it.
      const result = await step.run(ctx, await getTenant(ctx, shop), signal);
      recordStep(report, step.name, performance.now() - started, result);
    } catch (error) {
      recordFailure(report, step.name, performance.now() - started, shop, error as Error);
      ctx.log.warn("scheduled_run.step_failed", {
        shop,
        step: step.name,
        reason: (error as Error).message,
      });
    }
  }
}

async function forgetOld(ctx: Ctx, region: string, signal: AbortSignal): Promise<number> {
  try {
    const database = ctx.regions.get(region);
    return (
      (await forgetHistory(database, REGION_RULES, signal)) +
      (await applyPlatformRetention(database, signal))
    );
  } catch (error) {
    ctx.log.warn("scheduled_run.history_not_forgotten", {
      region,
      reason: (error as Error).message,
    });
    return 0;
  }
}

async function deleteAllExpired(
  ctx: Ctx,
  region: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  let total = 0;
  try {
    for (let deleted = 1; deleted > 0 && !signal?.aborted; total += deleted)
      deleted = await deleteExpiredKeys(ctx.regions.get(region));
  } catch (error) {
    // An unreachable region keeps its expired keys until a later run.
    ctx.log.warn("scheduled_run.keys_not_removed", {
      region,
      reason: (error as Error).message,
    });
  }
  return total;
}
