// Starts what this process's roles ask for, and stops it again.
import type { Ctx } from "./context.server.ts";
import { startWorker } from "./domain/bus/worker.ts";
import { completeFromOrder } from "./domain/commerce/checkout/complete-from-order.ts";
import { startPrivacyWorker } from "./domain/compliance/requests/privacy-worker.ts";
import { startInboxWorker } from "./domain/customers/webhooks/inbox-worker.ts";
import { startSyncWorker } from "./domain/customers/sync/sync-worker.ts";
import { startTagMatchWorker } from "./domain/customers/tag-matching/match-worker.ts";
import { startBulkRunWorker } from "./domain/customers/bulk/run-worker.ts";
import { mayWelcome } from "./domain/identity/welcome-limit.ts";
import { CUSTOMER_ACTIONS } from "./domain/merchant/customer-actions.ts";
import { startMoveWorker } from "./domain/tenants/moves/move-worker.ts";
import { startLoaderWorker } from "./domain/tenants/storefront/loader-worker.ts";
import { startRegistrationWorker } from "./domain/tenants/storefront/registration-worker.ts";
import { startWebPixelWorker } from "./domain/tenants/storefront/web-pixel/web-pixel-worker.ts";
import { startScheduler } from "./domain/scheduled-run/scheduler.ts";

export type Background = { stop(): Promise<void> };

export async function startBackground(ctx: Ctx): Promise<Background> {
  const stops: (() => Promise<void>)[] = [];
  if (ctx.config.roles.has("worker"))
    for (const region of ctx.regions.names()) {
      const database = ctx.regions.get(region);
      const workers = [
        await startInboxWorker(ctx, database, { order: completeFromOrder, mayWelcome }),
        await startPrivacyWorker(ctx, database),
        await startTagMatchWorker(ctx, database),
        await startBulkRunWorker(ctx, database, CUSTOMER_ACTIONS),
        await startWorker(ctx, database),
      ];
      stops.push(async () => {
        await Promise.all(workers.map((worker) => worker.stop()));
      });
    }
  if (ctx.config.roles.has("worker")) {
    const workers = [
      await startSyncWorker(ctx),
      await startRegistrationWorker(ctx),
      await startLoaderWorker(ctx),
      await startWebPixelWorker(ctx),
      await startMoveWorker(ctx),
    ];
    stops.push(async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    });
  }
  if (ctx.config.roles.has("scheduler")) {
    const scheduler = startScheduler(ctx);
    stops.push(() => scheduler.stop());
  }
  return {
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}
