// Starts the scheduled run at its time, and makes up for one that was missed: nothing was up, the database was
// away, or another run took longer than its quarter of an hour.
import { schedule } from "node-cron";
import type { Ctx } from "../../context.server.ts";
import { runScheduled, type ScheduledRunOptions } from "./scheduled-run.ts";

const SCHEDULE = "*/15 * * * *";
const LOOK_EVERY_MS = 30_000;

export type Scheduler = { stop(): Promise<void> };

type SchedulerOptions = Pick<ScheduledRunOptions, "steps"> & {
  /** How often it looks whether this quarter of an hour has had its run. */
  lookEveryMs?: number;
};

export function startScheduler(
  ctx: Ctx,
  { lookEveryMs = LOOK_EVERY_MS, ...options }: SchedulerOptions = {},
): Scheduler {
  const stopping = new AbortController();
  let running: Promise<unknown> | null = null;
  let hasFailed = false;
  /** An outage is logged once, not at every look. */
  const fail = (error: unknown) => {
    if (!hasFailed) ctx.log.error("scheduled_run.failed", error);
    hasFailed = true;
  };
  const run = () => {
    running ??= runScheduled(ctx, { ...options, signal: stopping.signal })
      .then(() => (hasFailed = false), fail)
      .finally(() => (running = null));
  };
  const task = schedule(SCHEDULE, run, { name: "scheduled-run" });
  const looking = setInterval(run, lookEveryMs);
  run();
  return {
    async stop() {
      stopping.abort();
      clearInterval(looking);
      await task.destroy();
      await running;
    },
  };
}
