// A sync that was requested in the background; its progress is in the sync's own state.
import type { Ctx } from "../../../context.server.ts";
import { findKeys } from "../../../runtime/database/kv.ts";
import { KEYS, PLATFORM_KEYS, type Key } from "../../../runtime/database/kv-keys.ts";
import { toSystemProblem, type SystemProblem } from "../../bus/log/system-problem.ts";
import { readAtHome } from "../../tenants/read-at-home.ts";
import { storeRequests } from "../../tenants/store-requests.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { toSyncState, type SyncState } from "./sync-state.ts";

export const syncRequests = storeRequests(PLATFORM_KEYS.syncRequest);

export type SyncProgress = {
  state: "never" | "running" | "done" | "failed";
  /** Customers read in the open window. */
  read: number;
  /** When the last window was drained. ISO 8601. */
  syncedAt: string | null;
  error: string | null;
  /** The kind of `error`. */
  problem: SystemProblem | null;
};

/** A second request while a sync runs is done after it. */
export async function requestSync(ctx: Ctx, shop: string): Promise<void> {
  if (await syncRequests.add(ctx, shop)) ctx.log.info("customer_sync.requested", { shop });
}

/** Not known while home is away: no requested sync begins then, and one that runs has its lease in the store's cell. */
export const isSyncRequested = async (ctx: Ctx, tenant: Tenant): Promise<boolean> =>
  (await readAtHome(tenant, syncRequests.isOpen(ctx, tenant.shop))) ?? false;

const LEASE_KEY = KEYS.lease("sync_customers");
/** What `toSyncProgress` needs of the store's keys. */
export const SYNC_KEYS: readonly Key[] = [LEASE_KEY, KEYS.customerSync];

export async function readSyncProgress(ctx: Ctx, tenant: Tenant): Promise<SyncProgress> {
  const [isRequested, stored] = await Promise.all([
    isSyncRequested(ctx, tenant),
    findKeys(dataOf(ctx, tenant).sql, SYNC_KEYS),
  ]);
  return toSyncProgress(isRequested, stored);
}

export function toSyncProgress(
  isRequested: boolean,
  stored: ReadonlyMap<Key, unknown>,
): SyncProgress {
  const state = toSyncState(stored.get(KEYS.customerSync));
  const isRunning = isRequested || stored.has(LEASE_KEY);
  return {
    state: isRunning ? "running" : endOf(state),
    read: state.mode === "bulk" ? state.bulk_line : state.objects,
    syncedAt: state.synced_at,
    error: isRunning ? null : state.error,
    problem: isRunning || state.error === null ? null : toSystemProblem("storefront", state.error),
  };
}

/** How the last run ended. */
function endOf({ error, watermark }: SyncState): "failed" | "never" | "done" {
  if (error !== null) return "failed";
  return watermark === null ? "never" : "done";
}
