// The state of one catch-up run, and its two repeated steps: a call, and the commit of its result.
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../../../context.server.ts";
import { isUniqueViolation } from "../../../db.server.ts";
import {
  isDatabaseAway,
  isPassingDatabaseError,
} from "../../../runtime/database/postgres-errors.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import { LeaseLost, type Lease } from "../../../runtime/database/queue/lease.ts";
import { callAdminApi } from "../../tenants/storefront/admin-api.ts";
import { dataOf, getTenant, type Tenant } from "../../tenants/tenant.ts";
import { applyStorefrontPage } from "./apply-page.ts";
import { countOf, noCounts, type PageCounts } from "./page-counts.ts";
import { isReadable, type CustomerChange } from "../customer-change.ts";
import { applyStorefrontChange } from "../from-storefront.ts";
import { saveSyncState, type SyncState } from "./sync-state.ts";

export type SyncRun = {
  ctx: Ctx;
  tenant: Tenant;
  lease: Lease;
  state: SyncState;
  counts: PageCounts;
  pageSize: number;
  /** The storefront ends paging after this many objects. */
  maxObjects: number;
  /** Aborted: stop after the current step. */
  signal: AbortSignal;
};

const TRIES = 3;
const FIRST_RETRY_MS = 250;
const MAX_WAIT_MS = 30_000;

/** Retries a call that failed temporarily, with at most half a minute between attempts. */
export async function ask<T>(
  run: Pick<SyncRun, "ctx" | "tenant" | "signal">,
  call: { document: string; variables?: Record<string, unknown> },
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await callAdminApi<T>(run.ctx, run.tenant.shop, call);
    } catch (error) {
      if (
        !(error instanceof OutboundError) ||
        !error.retryable ||
        attempt >= TRIES ||
        run.signal.aborted
      )
        throw error;
      await pause(
        Math.min(MAX_WAIT_MS, error.retryAfterMs ?? FIRST_RETRY_MS * 4 ** (attempt - 1)),
        run.signal,
      );
    }
  }
}

/** Whether the platform's last answers withheld fields of customers. */
export async function isWithheld({ ctx, tenant }: SyncRun): Promise<boolean> {
  return (await getTenant(ctx, tenant.shop)).connection.withheld_data !== undefined;
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/**
 * Commits the changes of a page together with the position after it. A customer that cannot be read
 * counts as failed and does not block the others.
 */
export async function commitPage(
  run: SyncRun,
  read: readonly CustomerChange[],
  next: SyncState,
): Promise<void> {
  const before = run.counts.created;
  const changes = read.filter(isReadable);
  const failed = read.length - changes.length;
  if (failed > 0) {
    add(run.counts, { processed: failed, failed });
    run.ctx.log.warn("customer_sync.customers_unreadable", { shop: run.tenant.shop, failed });
  }
  add(run.counts, await commit(run, changes, next));
  run.state = next;
  if (magnitude(run.counts.created) > Math.max(magnitude(before), 1)) await analyzeUsers(run);
}

/**
 * The number of digits less one: a run that creates many customers updates the planner's statistics
 * at 100, 1,000, 10,000.
 */
const magnitude = (count: number): number => String(count).length - 1;

async function analyzeUsers({ ctx, tenant }: SyncRun): Promise<void> {
  try {
    await ctx.regions.get(tenant.region).analyze("storefront_users");
  } catch (error) {
    ctx.log.warn("customer_sync.planner_not_told", {
      shop: tenant.shop,
      reason: (error as Error).message,
    });
  }
}

function add(total: PageCounts, some: Partial<PageCounts>): void {
  for (const [name, value] of Object.entries(some)) total[name as keyof PageCounts] += value;
}

async function commit(
  run: SyncRun,
  changes: readonly CustomerChange[],
  next: SyncState,
): Promise<Partial<PageCounts>> {
  const { ctx, tenant, lease } = run;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await dataOf(ctx, tenant).transaction(async (sql) => {
        await lease.fence(sql);
        const counts =
          changes.length > 0 ? await applyStorefrontPage(ctx, tenant, sql, changes) : {};
        await saveSyncState(sql, next);
        return counts;
      });
    } catch (error) {
      if (error instanceof LeaseLost || isDatabaseAway(error)) throw error;
      // A webhook created one of these customers concurrently: the second attempt finds it.
      if (isUniqueViolation(error) && attempt < TRIES) continue;
      ctx.log.warn("customer_sync.page_refused", {
        shop: tenant.shop,
        reason: (error as Error).message,
      });
      return commitOneByOne(run, changes, next);
    }
  }
}

/** One customer that the database rejects must not block the others of its page. */
async function commitOneByOne(
  run: SyncRun,
  changes: readonly CustomerChange[],
  next: SyncState,
): Promise<Partial<PageCounts>> {
  const { ctx, tenant, lease } = run;
  const counts = { ...noCounts(), processed: changes.length };
  for (const change of changes) {
    try {
      const { outcome } = await applyStorefrontChange(ctx, tenant, change, {
        eventId: ctx.random.uuid(),
        eventType: "customer.updated",
        cause: "storefront_cron",
      });
      counts[countOf(outcome)] += 1;
    } catch (error) {
      // The position stays before the page: a customer who is passed over would not be read again.
      if (isPassingDatabaseError(error)) throw error;
      counts.failed += 1;
      ctx.log.error("customer_sync.customer_failed", error, { shop: tenant.shop });
    }
  }
  await dataOf(ctx, tenant).transaction(async (sql) => {
    await lease.fence(sql);
    await saveSyncState(sql, next);
  });
  return counts;
}
