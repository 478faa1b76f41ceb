// Runs the requested syncs. When a process dies, the next one continues after the last committed page.
// The lease is the sync's own (catch-up.ts), because a scheduled run and a request must not sync one
// store at once.
import type { Ctx } from "../../../context.server.ts";
import { isPassingDatabaseError } from "../../../runtime/database/postgres-errors.ts";
import type { WorkQueue } from "../../../runtime/database/queue/work-queue.ts";
import { startRequestWorker } from "../../tenants/store-requests.ts";
import { dataOf, findTenant, type Tenant } from "../../tenants/tenant.ts";
import { syncCustomers } from "./catch-up.ts";
import { syncRequests } from "./sync-request.ts";
import { failWindow, readSyncState, saveSyncState } from "./sync-state.ts";

const CONCURRENCY = 2;

export function startSyncWorker(ctx: Ctx): Promise<WorkQueue> {
  return startRequestWorker(ctx, {
    name: "customer_syncs",
    requests: syncRequests,
    concurrency: CONCURRENCY,
    retryMs: ctx.config.WORKER_POLL_MS,
    work: (shop, stopping) => workOn(ctx, shop, stopping),
  });
}

/**
 * Returns whether the request is settled. It stays when another run was in progress, or the process stops and
 * the sync continues elsewhere.
 */
async function workOn(ctx: Ctx, shop: string, stopping: AbortSignal): Promise<boolean> {
  const tenant = await findTenant(ctx, shop);
  const outcome = tenant ? await sync(ctx, tenant, stopping) : "done";
  return outcome === "done" || (outcome === "failed" && !stopping.aborted);
}

async function sync(ctx: Ctx, tenant: Tenant, stopping: AbortSignal): Promise<string> {
  try {
    return (await syncCustomers(ctx, tenant, { signal: stopping })).outcome;
  } catch (error) {
    if (isPassingDatabaseError(error)) throw error;
    ctx.log.error("customer_sync.failed", error, { shop: tenant.shop });
    // A bug on our side: without deletion it would run again every second.
    await saveSyncState(
      dataOf(ctx, tenant).sql,
      failWindow(
        await readSyncState(ctx, tenant),
        new Error("Something went wrong on our side. It has been logged."),
      ),
    );
    return "failed";
  }
}
