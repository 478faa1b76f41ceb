// A sync that was requested in the background; its progress is in the sync's own state.
import type { Ctx } from "../../../context.server.ts";
import { getKeys, KEYS, PLATFORM_KEYS, type Key } from "../../../runtime/database/kv.ts";
import { storeRequests } from "../../tenants/store-requests.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { toSyncState } from "./sync-state.ts";

export const syncRequests = storeRequests(PLATFORM_KEYS.syncRequest);

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
  if (await syncRequests.add(ctx, shop)) ctx.log.info("customer_sync.requested", { shop });
}

const LEASE_KEY = KEYS.lease("sync_customers");

export const readSyncProgress = async (ctx: Ctx, tenant: Tenant): Promise<SyncProgress> =>
  (await readSyncWithKeys(ctx, tenant, [])).sync;

/** The same, and the values of further keys of the store in the same look. */
export async function readSyncWithKeys(
  ctx: Ctx,
  tenant: Tenant,
  keys: readonly Key[],
): Promise<{ sync: SyncProgress; stored: Map<Key, unknown> }> {
  const [isRequested, stored] = await Promise.all([
    syncRequests.isOpen(ctx, tenant.shop),
    getKeys(dataOf(ctx, tenant).sql, [LEASE_KEY, KEYS.customerSync, ...keys]),
  ]);
  return { sync: toProgress(isRequested, stored), stored };
}

function toProgress(isRequested: boolean, stored: ReadonlyMap<Key, unknown>): SyncProgress {
  const state = toSyncState(stored.get(KEYS.customerSync));
  const isRunning = isRequested || stored.has(LEASE_KEY);
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
