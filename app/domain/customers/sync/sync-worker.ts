// Runs the requested syncs. A request is deleted only when its sync ended: when a process dies, the
// next one continues after the last committed page. The lease is the sync's own (catch-up.ts),
// because a scheduled run and a request must not sync one store at once.
import type { Ctx } from "../../../context.server.ts";
import { isDatabaseAway } from "../../../runtime/database/database.ts";
import { startWorkQueue, type WorkQueue } from "../../../runtime/database/work-queue.ts";
import { dataOf, findTenant, type Tenant } from "../../tenants/tenant.ts";
import { syncCustomers } from "./catch-up.ts";
import { finishSyncRequest, listSyncRequests, type SyncRequest } from "./sync-request.ts";
import { failWindow, loadSyncState, saveSyncState } from "./sync-state.ts";

const CONCURRENCY = 2;
const LISTED = 50;
const STOP_WAIT_MS = 25_000;
const LEASE_SECONDS = 15;

export function startSyncWorker(ctx: Ctx): Promise<WorkQueue> {
  const inWork = new Set<string>();
  /** When an unfinished request is due for a retry, by the monotonic clock. */
  const nextAttemptAt = new Map<string, number>();
  return startWorkQueue<SyncRequest>({
    name: "customer_syncs",
    database: ctx.home,
    notification: null,
    pollMs: ctx.config.WORKER_POLL_MS,
    leaseSeconds: LEASE_SECONDS,
    concurrency: CONCURRENCY,
    stopWaitMs: STOP_WAIT_MS,
    log: ctx.log,
    async claim(limit) {
      const requests = (await listSyncRequests(ctx, LISTED))
        .filter(({ shop }) => !inWork.has(shop))
        .filter(({ shop }) => (nextAttemptAt.get(shop) ?? 0) <= performance.now())
        .slice(0, limit);
      for (const { shop } of requests) inWork.add(shop);
      return requests;
    },
    async release(requests) {
      for (const { shop } of requests) inWork.delete(shop);
    },
    async work(request, stopping) {
      const { shop } = request;
      let isDone = false;
      try {
        isDone = await isSynced(ctx, request, stopping);
        if (isDone) await finishSyncRequest(ctx, request);
      } finally {
        if (isDone) nextAttemptAt.delete(shop);
        else nextAttemptAt.set(shop, performance.now() + ctx.config.WORKER_POLL_MS);
        inWork.delete(shop);
      }
    },
  });
}

/**
 * False for a request that must stay: another run was in progress, or the process stops and the
 * sync continues elsewhere.
 */
async function isSynced(ctx: Ctx, { shop }: SyncRequest, stopping: AbortSignal): Promise<boolean> {
  const tenant = await findTenant(ctx, shop);
  const outcome = tenant ? await sync(ctx, tenant, stopping) : "done";
  return outcome === "done" || (outcome === "failed" && !stopping.aborted);
}

async function sync(ctx: Ctx, tenant: Tenant, stopping: AbortSignal): Promise<string> {
  try {
    return (await syncCustomers(ctx, tenant, { signal: stopping })).outcome;
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    ctx.log.error("customer_sync.failed", error, { shop: tenant.shop });
    // A bug on our side: without deletion it would run again every second.
    await saveSyncState(
      dataOf(ctx, tenant).sql,
      failWindow(
        await loadSyncState(ctx, tenant),
        new Error("Something went wrong on our side. It has been logged."),
      ),
    );
    return "failed";
  }
}
