// The catch-up sync (SPEC "Customer sync", DECISIONS 9): reads all changes in the storefront since
// the last run, with or without a webhook. One run per tenant across all processes; a killed run
// misses no customer and repeats no effect.
import type { Ctx } from "../../../context.server.ts";
import { isDatabaseAway } from "../../../runtime/database/postgres-errors.ts";
import { OutboundError, isAppError } from "../../../runtime/errors.ts";
import { LeaseLost, withLease, type Lease } from "../../../runtime/database/queue/lease.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { noCounts, type PageCounts } from "./page-counts.ts";
import { drainByBulk, isBulkRefused } from "./catch-up-bulk.ts";
import { drainByPages } from "./catch-up-pages.ts";
import { isWithheld, type SyncRun } from "./sync-run.ts";
import {
  failWindow,
  readSyncState,
  openWindow,
  repairSyncState,
  saveSyncState,
  targetOf,
  type SyncState,
} from "./sync-state.ts";

const PAGE_SIZE = 250;
const MAX_PAGED_OBJECTS = 25_000;
const MAX_RUN_MS = 10 * 60_000;

export type SyncResult =
  /** `unfinished`: the time limit was reached; the next run continues there. */
  | { outcome: "done" | "unfinished"; counts: PageCounts }
  | { outcome: "failed"; counts: PageCounts; error: Error }
  | { outcome: "busy" };

export type SyncOptions = { signal?: AbortSignal; pageSize?: number; maxObjects?: number };

/**
 * Errors of the storefront are a result with the progress made so far; only bugs on our side and a
 * lost database throw.
 */
export async function syncCustomers(
  ctx: Ctx,
  tenant: Tenant,
  options: SyncOptions = {},
): Promise<SyncResult> {
  const held = await withLease(dataOf(ctx, tenant).sql, "sync_customers", (lease) =>
    runUnderLease(ctx, tenant, lease, options),
  );
  return held?.result ?? { outcome: "busy" };
}

async function runUnderLease(
  ctx: Ctx,
  tenant: Tenant,
  lease: Lease,
  options: SyncOptions,
): Promise<SyncResult> {
  const started = performance.now();
  const bound = AbortSignal.timeout(MAX_RUN_MS);
  const run: SyncRun = {
    ctx,
    tenant,
    lease,
    state: await readSyncState(ctx, tenant),
    counts: noCounts(),
    pageSize: options.pageSize ?? PAGE_SIZE,
    maxObjects: options.maxObjects ?? MAX_PAGED_OBJECTS,
    signal: options.signal ? AbortSignal.any([options.signal, bound]) : bound,
  };
  let result: SyncResult;
  try {
    result = { outcome: (await drainAll(run)) ? "done" : "unfinished", counts: run.counts };
  } catch (error) {
    if (error instanceof LeaseLost) return { outcome: "busy" };
    if (!isReported(error) || isDatabaseAway(error)) throw error;
    await dataOf(ctx, tenant).transaction(async (sql) => {
      await lease.fence(sql);
      await saveSyncState(sql, failWindow(run.state, error));
    });
    result = { outcome: "failed", counts: run.counts, error };
  }
  ctx.log.info("customer_sync.finished", {
    shop: tenant.shop,
    outcome: result.outcome,
    ...run.counts,
    watermark: run.state.watermark,
    ms: Math.round(performance.now() - started),
  });
  return result;
}

const isReported = (error: unknown): error is Error =>
  error instanceof OutboundError || isAppError(error);

/** The state to open a window with: from the beginning, once the platform withholds no field any more. */
async function readAgainIfGranted(run: SyncRun): Promise<SyncState> {
  if (!run.state.lacks_fields || (await isWithheld(run))) return run.state;
  return { ...run.state, watermark: null, lacks_fields: false };
}

/** Reads one window after another, up to one minute before now. */
async function drainAll(run: SyncRun): Promise<boolean> {
  const { ctx } = run;
  const now = ctx.clock.now();
  const target = targetOf(now);
  run.state = repairSyncState(run.state, now);
  for (
    let isFirst = true;
    isFirst || new Date(run.state.watermark ?? 0) < target;
    isFirst = false
  ) {
    if (run.state.window_end === null)
      run.state = openWindow(await readAgainIfGranted(run), now, ctx.random.uuid());
    if (!(await drainWindow(run))) return false;
  }
  return true;
}

async function drainWindow(run: SyncRun): Promise<boolean> {
  const isPaged = run.state.mode === "pages";
  if (isPaged && (await drainByPages(run))) return true;
  if (run.state.mode === "pages") return false;
  try {
    return await drainByBulk(run);
  } catch (error) {
    // Where this run's paging has ended already, it would end at the same place again.
    if (isPaged || !isBulkRefused(run.state, error)) throw error;
    run.ctx.log.warn("customer_sync.bulk_refused", {
      shop: run.tenant.shop,
      reason: error.message,
    });
    run.state = { ...run.state, mode: "pages" };
    return drainByPages(run);
  }
}
