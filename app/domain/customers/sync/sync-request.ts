// A sync that was requested in the background. The request is stored, so it survives the page that
// made it and the process that runs it; its progress is in the sync's own state.
import type { Ctx } from "../../../context.server.ts";
import { PLATFORM } from "../../../runtime/database/database.ts";
import {
  deleteKeyIfHeld,
  getKey,
  KEYS,
  putKeyIfAbsent,
  PLATFORM_KEYS,
} from "../../../runtime/database/kv.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { loadSyncState } from "./sync-state.ts";

/** `request_id` distinguishes a request from a later one for the same store. */
export type SyncRequest = { shop: string; request_id: string };

export type SyncProgress = {
  state: "never" | "running" | "done" | "failed";
  /** Customers read in the open window. */
  read: number;
  /** When the last window was drained. ISO 8601. */
  syncedAt: string | null;
  error: string | null;
};

/** A second request changes nothing. */
export async function requestSync(ctx: Ctx, shop: string): Promise<void> {
  const request: SyncRequest = { shop, request_id: ctx.random.uuid() };
  if (
    await putKeyIfAbsent(ctx.home.forTenant(PLATFORM).sql, PLATFORM_KEYS.syncRequest(shop), request)
  )
    ctx.log.info("customer_sync.requested", { shop });
}

export async function listSyncRequests(ctx: Ctx, limit: number): Promise<SyncRequest[]> {
  const rows = await ctx.home.forTenant(PLATFORM).prisma.kv.findMany({
    select: { value: true },
    where: { key: { startsWith: PLATFORM_KEYS.syncRequest("") } },
    orderBy: { updated_at: "asc" },
    take: limit,
  });
  return rows.map(({ value }) => value as SyncRequest);
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
