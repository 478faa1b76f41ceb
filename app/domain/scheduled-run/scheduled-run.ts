// The scheduled run (SPEC "Scheduled run"): each step of each tenant separately, and once per run
// the removal of expired keys. One runner across processes, by a lease; when a quarter of an hour
// has no finished run, the next process that checks makes up for it.
import type { Ctx } from "../../context.server.ts";
import { isDatabaseAway, PLATFORM } from "../../runtime/database/database.ts";
import { orFailAfter } from "../../runtime/deadlines/or-fail-after.ts";
import { AppError } from "../../runtime/errors.ts";
import { deleteExpiredKeys } from "../../runtime/database/kv.ts";
import { LeaseLost, withLease, type Lease } from "../../runtime/database/queue/lease.ts";
import { forgetHistory } from "../../runtime/database/retention.ts";
import { applyPlatformRetention } from "../compliance/retention/apply-retention.ts";
import { REGION_RULES } from "../inventory/row-rules.ts";
import {
  findReport,
  newReport,
  recordCut,
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
const BUDGET_MS = 12 * 60_000;
/** For what is removed once per run, also when the stores took all of the time. Ends before the next run is due. */
const CLEANUP_MS = 2 * 60_000;
/** A long sync goes on in the next run, and leaves time to the steps after it. */
const STEPS_PER_BUDGET = 4;
/**
 * What a step has after its time to come to its next safe place: a few calls, each of which has a limit. Then it
 * counts as failed, and the next one begins; a step that never ends would keep the run from ending.
 */
const GRACE_MS = 60_000;
const REPORT_EVERY_MS = 1_000;

export type ScheduledRunOptions = {
  signal?: AbortSignal;
  cause?: "schedule" | "manual";
  budgetMs?: number;
  graceMs?: number;
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
  const budgetMs = options.budgetMs ?? BUDGET_MS;
  const stops = [lease.signal, ...(options.signal ? [options.signal] : [])];
  const signal = AbortSignal.any([AbortSignal.timeout(budgetMs), ...stops]);
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
  const reached: Reached = { last: resumeAfter, cut: null, isComplete: false };
  await Promise.all(
    Array.from({ length: TENANTS_AT_ONCE }, async () => {
      while (!signal.aborted) {
        const { value: visit, done } = await walk.next();
        if (done) {
          reached.isComplete = true;
          return;
        }
        const { shop } = visit;
        reached.last = shop;
        try {
          if (!(await isServed(ctx, shop))) continue;
        } catch (error) {
          if (isDatabaseAway(error)) throw error;
          // A record that cannot be read keeps no other store waiting.
          recordFailure(report, "tenant", 0, shop, error as Error);
          continue;
        }
        report.tenants += 1;
        const isCut = await runTenant(ctx, shop, report, {
          steps: options.steps ?? TENANT_STEPS,
          signal,
          stepMs: budgetMs / STEPS_PER_BUDGET,
          graceMs: options.graceMs ?? GRACE_MS,
          progress,
        });
        // A store of the run's beginning had all of its time: starting with it again would keep the last ones waiting.
        if (
          isCut &&
          visit.place >= TENANTS_AT_ONCE &&
          visit.place < (reached.cut?.place ?? Infinity)
        )
          reached.cut = visit;
      }
    }),
  );
  const cleanup = AbortSignal.any([AbortSignal.timeout(CLEANUP_MS), ...stops]);
  for (const region of ctx.regions.names()) {
    report.expired_keys += await deleteAllExpired(ctx, region, options.signal);
    report.forgotten_rows += await forgetOld(ctx, region, cleanup);
  }
  Object.assign(report, {
    state: options.signal?.aborted ? "interrupted" : "finished",
    finished_at: ctx.clock.now().toISOString(),
    ms: Math.round(performance.now() - started),
    resume_after: toResumeAfter(reached),
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

/** `after`: the shop before it in the walk. */
type Visit = { shop: string; place: number; after: string | null };

/** How far a run came. `cut`: the first store in the walk that was left with steps that did not run. */
type Reached = { last: string | null; cut: Visit | null; isComplete: boolean };

function toResumeAfter({ last, cut, isComplete }: Reached): string | null {
  if (cut) return cut.after;
  return isComplete ? null : last;
}

/** All shops once, one page in memory at a time, starting where the last run stopped. */
async function* walkShops(ctx: Ctx, resumeAfter: string | null): AsyncGenerator<Visit> {
  const until = resumeAfter ?? "";
  let previous = resumeAfter;
  let place = 0;
  for (const isSecondHalf of resumeAfter === null ? [true] : [false, true]) {
    for (let after = isSecondHalf ? "" : until; ;) {
      const shops = await listShopsAfter(ctx, after, SHOPS_PAGE);
      for (const shop of shops) {
        if (isSecondHalf && resumeAfter !== null && shop > until) return;
        yield { shop, place, after: previous };
        previous = shop;
        place += 1;
      }
      if (shops.length < SHOPS_PAGE) break;
      after = shops.at(-1) as string;
    }
  }
}

type TenantRun = {
  steps: readonly TenantStep[];
  signal: AbortSignal;
  /** How long one step may take. */
  stepMs: number;
  /** How long it has after that to end. */
  graceMs: number;
  /** Called after each step. */
  progress(): Promise<void>;
};

/** Whether the end of the run's time kept a step from running. */
async function runTenant(
  ctx: Ctx,
  shop: string,
  report: ScheduledRunReport,
  { steps, signal, stepMs, graceMs, progress }: TenantRun,
): Promise<boolean> {
  for (const [at, step] of steps.entries()) {
    if (signal.aborted) {
      for (const { name } of steps.slice(at)) recordCut(report, name);
      return true;
    }
    const started = performance.now();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), stepMs);
    try {
      // Read again for each step, because the previous one may have changed it.
      const tenant = await getTenant(ctx, shop);
      const work = step.run(ctx, tenant, AbortSignal.any([signal, late.signal]));
      const result = await orFailAfter(
        stepMs + graceMs,
        work,
        () => new Error(`${step.name} did not end in time`),
      );
      recordStep(report, step.name, performance.now() - started, result);
    } catch (error) {
      recordFailure(report, step.name, performance.now() - started, shop, error as Error);
      ctx.log.warn("scheduled_run.step_failed", {
        shop,
        step: step.name,
        reason: (error as Error).message,
      });
    } finally {
      clearTimeout(timer);
    }
    await progress();
  }
  return false;
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
