// The merchant's check of the storefront: one at a time for each store, as a background job. Its last
// complete result is kept until the next one, also when a later check finds the store closed.
import type { Ctx } from "../../context.server.ts";
import { findKey, putKey } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import {
  readBackgroundJob,
  startBackgroundJob,
  type BackgroundJob,
} from "../../runtime/database/queue/background-job.ts";
import { consumeReturnable } from "../identity/rate-limits.ts";
import { isConnected } from "../tenants/store-access.ts";
import { tryToReadPrimaryDomain } from "../tenants/storefront/primary-domain.ts";
import { themeEditorPaths } from "../tenants/storefront/theme-links.ts";
import { dataOf, getTenant, type Tenant } from "../tenants/tenant.ts";
import {
  originsOf,
  readPages,
  type CheckProblem,
  type PageState,
  type ReadPages,
} from "./check-pages.ts";
import { findScripts, type FoundScripts } from "./find-scripts.ts";

const NAME = "storefront_check";

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
  const equipment = {
    sql: dataOf(ctx, tenant).sql,
    log: ctx.log,
    now: () => ctx.clock.now(),
    id: ctx.random.uuid(),
  };
  const isStarted = await startBackgroundJob<Progress, Outcome>(equipment, NAME, (report) =>
    check(ctx, tenant, report),
  );
  if (!isStarted) await giveBack();
}

async function check(
  ctx: Ctx,
  tenant: Tenant,
  report: (progress: Progress) => Promise<void>,
): Promise<Outcome> {
  const visit = (of: Tenant) => readPages(ctx, of, (done, all) => report({ done, of: all }));
  let current = tenant;
  let pages: ReadPages = await visit(current);
  // The store may have a new primary domain that is not known here yet.
  if (pages.problem === "elsewhere" && isConnected(tenant)) {
    await tryToReadPrimaryDomain(ctx, tenant.shop);
    current = await getTenant(ctx, tenant.shop);
    pages = await visit(current);
  }
  const { shop } = tenant;
  if (pages.problem !== null) {
    ctx.log.info("storefront.not_checked", { shop, problem: pages.problem, status: pages.status });
    return { problem: pages.problem, status: pages.status, host: pages.host };
  }
  const found = findScripts(pages.read, [...originsOf(ctx, current), new URL(ctx.baseUrl).origin]);
  const result: StorefrontResult = {
    ...found,
    at: ctx.clock.now().toISOString(),
    pages: pages.pages,
  };
  await putKey(dataOf(ctx, tenant).sql, KEYS.storefrontCheck, result);
  ctx.log.info("storefront.checked", { shop, pages: pages.read.length, ...found.counts });
  return { problem: null, status: 200, host: null };
}

export type StorefrontCheck = {
  run: StorefrontRun | null;
  result: StorefrontResult | null;
  /** Where the app embed is switched on. */
  themeEditorUrl: string;
};

export async function readStorefrontCheck(ctx: Ctx, tenant: Tenant): Promise<StorefrontCheck> {
  const { sql } = dataOf(ctx, tenant);
  const [run, stored] = await Promise.all([
    readStorefrontRun(ctx, tenant),
    findKey<StorefrontResult>(sql, KEYS.storefrontCheck),
  ]);
  return {
    run,
    result: stored?.value ?? null,
    themeEditorUrl: ctx.storefront.adminUrl(
      tenant.shop,
      themeEditorPaths(tenant.app.clientId).consent,
    ),
  };
}

export const readStorefrontRun = (ctx: Ctx, tenant: Tenant): Promise<StorefrontRun | null> =>
  readBackgroundJob(dataOf(ctx, tenant).sql, NAME);
