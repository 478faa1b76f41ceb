// The report of a scheduled run: counts and durations per step, a bounded list of errors, readable
// while it runs.
import type { Ctx } from "../../context.server.ts";
import { PLATFORM } from "../../runtime/database/database.ts";
import { findKey, putKey } from "../../runtime/database/kv.ts";
import { PLATFORM_KEYS } from "../../runtime/database/kv-keys.ts";
import { OutboundError } from "../../runtime/errors.ts";
import type { Lease } from "../../runtime/database/queue/lease.ts";
import type { StepResult } from "./steps.ts";

const MAX_ERRORS = 50;
const MAX_ERROR_CHARACTERS = 300;

type StepReport = {
  done: number;
  skipped: number;
  failed: number;
  /** The run's time was over before this step of a store. */
  cut: number;
  ms: number;
  slowest_ms: number;
  counts: Record<string, number>;
};

export type ScheduledRunReport = {
  run_id: string;
  /** `interrupted`: the process was stopped or died; the next run continues. */
  state: "running" | "finished" | "interrupted";
  cause: "schedule" | "manual";
  /** The scheduled quarter of an hour of this run. */
  slot: number;
  started_at: string;
  finished_at: string | null;
  ms: number;
  tenants: number;
  steps: Record<string, StepReport>;
  /** The first errors; `errors_total` counts all. */
  errors: {
    shop: string;
    step: string;
    message: string;
    /** The outside system that failed. */
    system?: string;
  }[];
  errors_total: number;
  expired_keys: number;
  /** Rows of history beyond their retention. */
  forgotten_rows: number;
  /** The time limit was reached before the last step of the last tenant: the next run starts after this shop. */
  resume_after: string | null;
};

/** The cells of this process's runs; null: all. Processes of other cells have runs of their own. */
export const servedCells = ({ config }: Ctx): string | null =>
  config.servedCells && [...config.servedCells].toSorted().join(",");

function keyOf(ctx: Ctx) {
  const cells = servedCells(ctx);
  return cells === null ? PLATFORM_KEYS.scheduledRun : PLATFORM_KEYS.scheduledRunOf(cells);
}

export async function findReport(ctx: Ctx): Promise<ScheduledRunReport | null> {
  const stored = await findKey<ScheduledRunReport>(ctx.home.forTenant(PLATFORM).sql, keyOf(ctx));
  return stored?.value ?? null;
}

/** Throws LeaseLost: another process runs, and the report is its own. */
export async function saveReport(
  ctx: Ctx,
  lease: Lease,
  report: ScheduledRunReport,
): Promise<void> {
  await ctx.home.forTenant(PLATFORM).transaction(async (sql) => {
    await lease.fence(sql);
    await putKey(sql, keyOf(ctx), report);
  });
}

export function newReport(
  ctx: Ctx,
  cause: ScheduledRunReport["cause"],
  slot: number,
): ScheduledRunReport {
  return {
    run_id: ctx.random.uuid(),
    state: "running",
    cause,
    slot,
    started_at: ctx.clock.now().toISOString(),
    finished_at: null,
    ms: 0,
    tenants: 0,
    steps: {},
    errors: [],
    errors_total: 0,
    expired_keys: 0,
    forgotten_rows: 0,
    resume_after: null,
  };
}

const stepOf = (report: ScheduledRunReport, name: string): StepReport =>
  (report.steps[name] ??= {
    done: 0,
    skipped: 0,
    failed: 0,
    cut: 0,
    ms: 0,
    slowest_ms: 0,
    counts: {},
  });

export function recordStep(
  report: ScheduledRunReport,
  name: string,
  ms: number,
  result: StepResult,
): void {
  const step = stepOf(report, name);
  addTime(step, ms);
  if (result === "skipped") {
    step.skipped += 1;
    return;
  }
  step.done += 1;
  for (const [counter, count] of Object.entries(result))
    step.counts[counter] = (step.counts[counter] ?? 0) + count;
}

type StepFailure = { name: string; ms: number; shop: string; error: Error };

export function recordStepFailure(
  report: ScheduledRunReport,
  { name, ms, shop, error }: StepFailure,
): void {
  const step = stepOf(report, name);
  addTime(step, ms);
  step.failed += 1;
  report.errors_total += 1;
  if (report.errors.length < MAX_ERRORS)
    report.errors.push({
      shop,
      step: name,
      message: error.message.slice(0, MAX_ERROR_CHARACTERS),
      ...(error instanceof OutboundError && { system: error.system }),
    });
}

export function recordCut(report: ScheduledRunReport, name: string): void {
  stepOf(report, name).cut += 1;
}

function addTime(step: StepReport, ms: number): void {
  step.ms = Math.round((step.ms + ms) * 10) / 10;
  step.slowest_ms = Math.round(Math.max(step.slowest_ms, ms) * 10) / 10;
}
