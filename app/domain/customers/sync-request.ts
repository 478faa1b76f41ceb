// A sync that somebody asked for and does not wait for. The wish is stored, so it outlives the page that made it and the
// process that works on it; how far it has come stands in the sync's own state.
import type { Ctx } from "../../context.server.ts";
import { PLATFORM } from "../../runtime/database.ts";
import { deleteKeyIfHeld, getKey, KEYS, putKeyIfAbsent, PLATFORM_KEYS } from "../../runtime/kv.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { loadSyncState } from "./sync-state.ts";

/** `request_id` tells a wish from a later one for the same store. */
export type SyncRequest = { shop: string; request_id: string };

export type SyncProgress = {
  state: "never" | "running" | "done" | "failed";
  /** Customers read by the window that is open now. */
  read: number;
  /** When the last window was drained. ISO 8601. */
  syncedAt: string | null;
  error: string | null;
};

/** Two wishes are one. */
export async function requestSync(ctx: Ctx, shop: string): Promise<void> {
  const request: SyncRequest = { shop, request_id: ctx.random.uuid() };
  if (
    await putKeyIfAbsent(ctx.home.forTenant(PLATFORM).sql, PLATFORM_KEYS.syncRequest(shop), request)
  )
    ctx.log.done("customer_sync.requested", { shop });
}

export async function listSyncRequests(ctx: Ctx, limit: number): Promise<SyncRequest[]> {
  const rows = await ctx.home
    .forTenant(PLATFORM)
    .sql<{ value: SyncRequest }>(
      "SELECT value FROM kv WHERE shop = $1 AND starts_with(key, $2) ORDER BY updated_at LIMIT $3",
      [PLATFORM_KEYS.syncRequest(""), limit],
    );
  return rows.map(({ value }) => value);
}

export async function finishSyncRequest(ctx: Ctx, request: SyncRequest): Promise<void> {
  await deleteKeyIfHeld(
    ctx.home.forTenant(PLATFORM).sql,
    PLATFORM_KEYS.syncRequest(request.shop),
    request,
  );
}

export async function readSyncProgress(ctx: Ctx, tenant: Tenant): Promise<SyncProgress> {
  const [request, lease, state] = await Promise.all([
    getKey(ctx.home.forTenant(PLATFORM).sql, PLATFORM_KEYS.syncRequest(tenant.shop)),
    getKey(dataOf(ctx, tenant).sql, KEYS.lease("sync_customers")),
    loadSyncState(ctx, tenant),
  ]);
  const isRunning = request !== null || lease !== null;
  return {
    state: isRunning
      ? "running"
      : state.error !== null
        ? "failed"
        : state.watermark === null
          ? "never"
          : "done",
    read: state.mode === "bulk" ? state.bulk_line : state.objects,
    syncedAt: state.synced_at,
    error: isRunning ? null : state.error,
  };
}
