// The demo store in a running sandbox: its history once, and then its traffic. Neither delays a page
// nor ends the process.
import type { Ctx } from "../context.server.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { HISTORY_DAYS } from "./calendar.ts";
import { writeHistory } from "./history.ts";
import { startTraffic } from "./traffic.ts";

export type RunningDemo = { stop(): Promise<void> };

/** The history is written after this time, so that it does not delay the first pages. */
const START_AFTER_MS = 1_000;

export function startDemo(ctx: Ctx, sandbox: Sandbox, shop: string): RunningDemo {
  if (ctx.config.DEMO === "off") return { stop: () => Promise.resolve() };
  const stopping = new AbortController();
  const { signal } = stopping;
  let running = Promise.resolve();
  const timer = setTimeout(() => {
    running = run();
  }, START_AFTER_MS);

  async function run(): Promise<void> {
    const startedAt = performance.now();
    try {
      const steps = await writeHistory(ctx, { shop, storefront: sandbox.storefront, signal });
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      const customers = sandbox.storefront.customers(shop).length;
      if (steps.length > 0)
        ctx.log.info("demo_history.written", { shop, customers, days: HISTORY_DAYS, seconds });
      if (ctx.config.SANDBOX_TRAFFIC === "on") await startTraffic(ctx, sandbox, shop, signal);
    } catch (error) {
      if (!signal.aborted) ctx.log.error("demo_history.failed", error, { shop });
    }
  }

  return {
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await running;
    },
  };
}
