// The steps of one store, one after the other. A step that fails or hangs keeps no later one from running.
import type { Ctx } from "../../context.server.ts";
import { orFailAfter } from "../../runtime/deadlines/or-fail-after.ts";
import { watchSilence } from "../../runtime/outbound/silence.ts";
import { findTenant } from "../tenants/tenant.ts";
import { recordCut, recordStepFailure, recordStep, type ScheduledRunReport } from "./report.ts";
import type { TenantStep } from "./steps.ts";

export type TenantRun = {
  steps: readonly TenantStep[];
  signal: AbortSignal;
  /** How long one step may take. */
  stepMs: number;
  /** How long it has after that to end. */
  graceMs: number;
  /** Shared by all stores of the run, so that only the first waits for a silent archive. */
  archive: Ctx["archive"];
  /** Called after each step. */
  progress(): Promise<void>;
};

/** Whether the end of the run's time kept a step from running. */
export async function runTenant(
  ctx: Ctx,
  shop: string,
  report: ScheduledRunReport,
  { steps, signal, stepMs, graceMs, archive, progress }: TenantRun,
): Promise<boolean> {
  // Each step would wait for it as long as the first, and later stores would not have their turn.
  const storefront = watchSilence("storefront");
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
      const tenant = await findTenant(ctx, shop);
      // The store was erased meanwhile.
      if (!tenant) return false;
      const run = () => step.run(ctx, tenant, AbortSignal.any([signal, late.signal]), archive);
      const work = step.asksStorefront ? storefront.ask(run) : run();
      const result = await orFailAfter(
        stepMs + graceMs,
        work,
        () => new Error(`${step.name} did not end in time`),
      );
      recordStep(report, step.name, performance.now() - started, result);
    } catch (error) {
      recordStepFailure(report, {
        name: step.name,
        ms: performance.now() - started,
        shop,
        error: error as Error,
      });
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
