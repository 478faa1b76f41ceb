// The check of the storefront, by the merchant or each week by itself: one at a time for each store, as a background
// job. Its last complete result is kept until the next one, also when a later check finds the store closed.
import type { Ctx } from "../../context.server.ts";
import { findKey } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import {
  readBackgroundJob,
  runBackgroundJob,
  startBackgroundJob,
  type BackgroundJob,
} from "../../runtime/database/queue/background-job.ts";
import { consumeReturnable } from "../identity/rate-limits.ts";
import { isConnected } from "../tenants/store-access.ts";
import { storeOrigins, tryToReadPrimaryDomain } from "../tenants/storefront/primary-domain.ts";
import { themeEditorPaths } from "../tenants/storefront/theme-links.ts";
import { dataOf, getTenant, type Tenant } from "../tenants/tenant.ts";
import { KNOWN_VENDORS } from "../vendors/known-vendors.ts";
import { readPages, type CheckProblem, type PageState, type ReadPages } from "./check-pages.ts";
import { findScripts, type FoundScripts } from "./find-scripts.ts";
import { readBlocking, type Blocking } from "./blocking-settings.ts";
import {
  isCheckDue,
  keepProblem,
  keepResult,
  readWeeklyCheck,
  type WeeklyCheck,
} from "./weekly-check.ts";

export const CHECK_JOB = "storefront_check";

type Progress = { done: number; of: number };
/** `status`: what the store answered. `host`: where it redirects to. */
type Outcome = { problem: CheckProblem | null; status: number | null; host: string | null };
export type StorefrontRun = BackgroundJob<Progress, Outcome>;

export type StorefrontResult = FoundScripts & {
  /** ISO 8601. */
  at: string;
  pages: PageState[];
};

/** Starts a check, or joins the one in progress. Throws `too_many_requests`. */
export async function startStorefrontCheck(ctx: Ctx, tenant: Tenant): Promise<void> {
  const giveBack = await consumeReturnable(ctx, tenant, {
    storefront_checks_per_store: tenant.shop,
  });
  const isStarted = await startBackgroundJob<Progress, Outcome>(
    equipmentOf(ctx, tenant),
    CHECK_JOB,
    (report) => check(ctx, tenant, report),
  );
  if (!isStarted) await giveBack();
}

/**
 * The weekly check of the scheduled run, where it is due. Resolves at its end, with the counts for the report; null:
 * not due, or a check is in progress.
 */
export async function repeatStorefrontCheck(
  ctx: Ctx,
  tenant: Tenant,
  signal: AbortSignal,
): Promise<{ checked: number; closed: number; new_vendors: number } | null> {
  if (!(await isCheckDue(ctx, tenant))) return null;
  let mailed = 0;
  const outcome = await runBackgroundJob<Progress, Outcome>(
    equipmentOf(ctx, tenant),
    CHECK_JOB,
    (report) => check(ctx, tenant, report, { signal, onMailed: (count) => (mailed = count) }),
  );
  if (!outcome) return null;
  const isClosed = outcome.problem !== null;
  return { checked: isClosed ? 0 : 1, closed: isClosed ? 1 : 0, new_vendors: mailed };
}

const equipmentOf = (ctx: Ctx, tenant: Tenant) => ({
  sql: dataOf(ctx, tenant).sql,
  log: ctx.log,
  clock: ctx.clock,
});

/**
 * `signal` ends a check between two pages, and nothing of it is kept. `onMailed` gets the number of new vendors that
 * the merchant's mail names.
 */
type Scheduled = { signal: AbortSignal; onMailed(count: number): void };

async function check(
  ctx: Ctx,
  tenant: Tenant,
  report: (progress: Progress) => Promise<void>,
  scheduled: Scheduled | null = null,
): Promise<Outcome> {
  const visit = (of: Tenant) =>
    readPages(ctx, of, async (done, all) => {
      scheduled?.signal.throwIfAborted();
      await report({ done, of: all });
    });
  let current = tenant;
  let pages: ReadPages = await visit(current);
  // The store may have a new primary domain that is not known here yet.
  if (pages.problem === "elsewhere" && isConnected(tenant)) {
    await tryToReadPrimaryDomain(ctx, tenant.shop);
    current = await getTenant(ctx, tenant.shop);
    pages = await visit(current);
  }
  scheduled?.signal.throwIfAborted();
  const { shop } = tenant;
  if (pages.problem !== null) {
    const { problem, status, host } = pages;
    ctx.log.info("storefront.not_checked", { shop, problem, status });
    if (scheduled) await keepProblem(ctx, tenant, problem);
    return { problem, status, host };
  }
  const found = findScripts(pages.read, [
    ...storeOrigins(ctx, current),
    new URL(ctx.baseUrl).origin,
  ]);
  const result: StorefrontResult = {
    ...found,
    at: ctx.clock.now().toISOString(),
    pages: pages.pages,
  };
  const mailed = await keepResult(ctx, tenant, result, scheduled ? "schedule" : "merchant");
  scheduled?.onMailed(mailed);
  ctx.log.info("storefront.checked", { shop, pages: pages.read.length, mailed, ...found.counts });
  return { problem: null, status: 200, host: null };
}

export type StorefrontCheck = {
  run: StorefrontRun | null;
  result: StorefrontResult | null;
  weekly: WeeklyCheck;
  blocking: Blocking;
  /** The vendors that were found and whose tags the app embed can tell the shopper's choice. */
  vendorsToTell: string[];
  /** Where the app embed is switched on. */
  themeEditorUrl: string;
};

export async function readStorefrontCheck(ctx: Ctx, tenant: Tenant): Promise<StorefrontCheck> {
  const { sql } = dataOf(ctx, tenant);
  // The run first: read beside it, the result could be from before a run that has ended.
  const run = await readStorefrontRun(ctx, tenant);
  const [stored, weekly] = await Promise.all([
    findKey<StorefrontResult>(sql, KEYS.storefrontCheck),
    readWeeklyCheck(ctx, tenant),
  ]);
  return {
    run,
    result: stored?.value ?? null,
    weekly,
    blocking: readBlocking(ctx, tenant, stored?.value ?? null),
    vendorsToTell: findVendorsToTell(stored?.value ?? null),
    themeEditorUrl: ctx.storefront.adminUrl(
      tenant.shop,
      themeEditorPaths(tenant.app.clientId).consent,
    ),
  };
}

const findVendorsToTell = (result: StorefrontResult | null): string[] =>
  KNOWN_VENDORS.filter(
    ({ name, takesChoice }) =>
      takesChoice && result?.scripts.some(({ vendor }) => vendor === name) === true,
  ).map(({ name }) => name);

export const readStorefrontRun = (ctx: Ctx, tenant: Tenant): Promise<StorefrontRun | null> =>
  readBackgroundJob(dataOf(ctx, tenant).sql, CHECK_JOB);
