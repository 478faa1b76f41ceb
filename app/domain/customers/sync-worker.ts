// Works the syncs that were asked for. A wish is forgotten only when its sync came to an end: a process that dies in
// between leaves it to the next one, which goes on where the last page was committed.
import type { Ctx } from "../../context.server.ts";
import { isDatabaseAway } from "../../runtime/database.ts";
import { dataOf, findTenant, type Tenant } from "../tenants/tenant.ts";
import { syncCustomers } from "./catch-up.ts";
import { finishSyncRequest, listSyncRequests, type SyncRequest } from "./sync-request.ts";
import { failWindow, loadSyncState, saveSyncState } from "./sync-state.ts";

const PLACES = 2;
const LOOKED_AT = 50;

export function startSyncWorker(ctx: Ctx): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking || stopping.signal.aborted || running.size >= PLACES) return;
    isLooking = true;
    try {
      for (const request of await listSyncRequests(ctx, LOOKED_AT)) {
        if (running.size >= PLACES || stopping.signal.aborted) break;
        if (!running.has(request.shop))
          running.set(
            request.shop,
            work(request).finally(() => running.delete(request.shop)),
          );
      }
    } catch (error) {
      if (!isDatabaseAway(error)) ctx.log.failed("sync_requests.not_read", error);
    } finally {
      isLooking = false;
    }
  }

  async function work(request: SyncRequest): Promise<void> {
    const { shop } = request;
    try {
      const tenant = await findTenant(ctx, shop);
      const outcome = tenant ? await sync(tenant) : "done";
      // Busy: the run of somebody else may have begun before the wish. Unfinished, or stopped with the process: it goes on.
      if (outcome === "done" || (outcome === "failed" && !stopping.signal.aborted))
        await finishSyncRequest(ctx, request);
    } catch (error) {
      if (!isDatabaseAway(error)) ctx.log.failed("customer_sync.not_worked", error, { shop });
    }
  }

  async function sync(tenant: Tenant): Promise<string> {
    try {
      return (await syncCustomers(ctx, tenant, { signal: stopping.signal })).outcome;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      ctx.log.failed("customer_sync.failed", error, { shop: tenant.shop });
      // Our own bug: without an end it would be met again every second.
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

  const poll = setInterval(() => void look(), ctx.config.WORKER_POLL_MS);
  void look();
  return {
    async stop() {
      stopping.abort();
      clearInterval(poll);
      await Promise.all(running.values());
    },
  };
}
