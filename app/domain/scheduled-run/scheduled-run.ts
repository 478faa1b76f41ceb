// The scheduled run (SPEC "Scheduled run"): each step of each tenant separately, and once per run
// the removal of expired keys. One runner across processes, by a lease; when a quarter of an hour
// has no finished run, the next process that checks makes up for it.
import type { Ctx } from "../../context.server.ts";
import { withoutWaiting } from "../../integrations/archive/without-waiting.ts";
import { PLATFORM } from "../../runtime/database/database.ts";
import { isDatabaseAway } from "../../runtime/database/postgres-errors.ts";
import { AppError } from "../../runtime/errors.ts";
import { LeaseLost, withLease, type Lease } from "../../runtime/database/queue/lease.ts";
import { findTenant } from "../tenants/tenant.ts";
import { cleanUp } from "./clean-up.ts";
import {
  findReport,
  newReport,
  recordStepFailure,
  saveReport,
  servedCells,
  type ScheduledRunReport,
} from "./report.ts";
import { runTenant, type TenantRun } from "./run-tenant.ts";
import { TENANT_STEPS, type TenantStep } from "./steps.ts";
import { walkShops, type Visit } from "./walk-shops.ts";

const SLOT_MS = 15 * 60_000;
const TENANTS_AT_ONCE = 8;
const BUDGET_MS = 12 * 60_000;
/** For what is removed once per run, also when the stores took all of the time. Ends before the next run is due. */
const CLEANUP_MS = 2 * 60_000;
/** A long sync goes on in the next run, and leaves time to the steps after it. */
const STEPS_PER_BUDGET = 4;
/**
 * How long a step may take beyond its time to reach its next safe place: a few calls, each with a limit of its own.
 * After that it counts as failed and the next step begins, so that a step that never ends cannot hold up the run.
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
  await saveReport(ctx, lease, report);
  const reached = await runStores(ctx, report, resumeAfter, {
    steps: options.steps ?? TENANT_STEPS,
    signal: AbortSignal.any([AbortSignal.timeout(budgetMs), ...stops]),
    stepMs: budgetMs / STEPS_PER_BUDGET,
    graceMs: options.graceMs ?? GRACE_MS,
    archive: withoutWaiting(ctx.archive),
    progress: savesProgress(ctx, lease, report, started, options.reportEveryMs),
  });
  await cleanUp(
    ctx,
    report,
    AbortSignal.any([AbortSignal.timeout(CLEANUP_MS), ...stops]),
    options.signal,
  );
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

/** Saves the report, at most once in `everyMs`. */
function savesProgress(
  ctx: Ctx,
  lease: Lease,
  report: ScheduledRunReport,
  started: number,
  everyMs = REPORT_EVERY_MS,
): () => Promise<void> {
  let savedAt = started;
  return async () => {
    if (performance.now() - savedAt < everyMs) return;
    savedAt = performance.now();
    report.ms = Math.round(savedAt - started);
    await saveReport(ctx, lease, report);
  };
}

/** How far a run came. `cut`: the first store in the walk that was left with steps that did not run. */
type Reached = { last: string | null; cut: Visit | null; isComplete: boolean };

/** Every store's steps, until the stores or the time have ended. Some stores are worked at once. */
async function runStores(
  ctx: Ctx,
  report: ScheduledRunReport,
  resumeAfter: string | null,
  tenantRun: TenantRun,
): Promise<Reached> {
  const walk = walkShops(ctx, resumeAfter);
  const reached: Reached = { last: resumeAfter, cut: null, isComplete: false };
  const runNext = async () => {
    while (!tenantRun.signal.aborted) {
      const { value: visit, done } = await walk.next();
      if (done) {
        reached.isComplete = true;
        return;
      }
      reached.last = visit.shop;
      if (!(await isToRun(ctx, visit.shop, report))) continue;
      report.tenants += 1;
      const isCut = await runTenant(ctx, visit.shop, report, tenantRun);
      // A store of the run's beginning had all of its time: starting with it again would keep the last ones waiting.
      const hadAllTime = visit.place < TENANTS_AT_ONCE;
      const isFirstCut = visit.place < (reached.cut?.place ?? Infinity);
      if (isCut && !hadAllTime && isFirstCut) reached.cut = visit;
    }
  };
  await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, runNext));
  return reached;
}

/** False for a store of a cell that other processes serve: it has its run there. */
async function isToRun(ctx: Ctx, shop: string, report: ScheduledRunReport): Promise<boolean> {
  try {
    const tenant = ctx.config.servedCells && (await findTenant(ctx, shop));
    return !tenant || ctx.regions.serves(tenant.region);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    // A record that cannot be read keeps no other store waiting.
    recordStepFailure(report, { name: "tenant", ms: 0, shop, error: error as Error });
    return false;
  }
}

function toResumeAfter({ last, cut, isComplete }: Reached): string | null {
  if (cut) return cut.after;
  return isComplete ? null : last;
}
