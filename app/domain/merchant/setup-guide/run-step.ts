// The actions of the setup guide's buttons; each is safe to repeat.
import type { Ctx } from "../../../context.server.ts";
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import { deleteKey, putKey } from "../../../runtime/database/kv.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { isChannelEnabled } from "../../bus/channel.ts";
import type { Failure } from "../../bus/log/failure-kind.ts";
import { requestSync } from "../../customers/sync/sync-request.ts";
import { matchTagsAtOnce } from "../../customers/tag-matching/match-tags.ts";
import { startStorefrontCheck } from "../../storefront-check/storefront-check.ts";
import { initTagStep, type TagStep } from "../../tags/init-tag-system.ts";
import { isConnected } from "../../tenants/store-access.ts";
import { carriesEmbed } from "../../tenants/storefront/theme-links.ts";
import { dataOf, findTenant, type Tenant } from "../../tenants/tenant.ts";
import { knownFailureOf, type GuideStepName } from "./read-guide.ts";

export type GuideIntent =
  "check_scripts" | "init_tags" | "start_sync" | "check_embed" | "confirm_embed";
/**
 * `not_seen`: the store's front page does not contain the app embed; `page_closed`: it does not open
 * for a program. `not_active`: the store admin says that the embed is off in the published theme.
 */
export type GuideResult =
  | { outcome: "done"; step: GuideStepName }
  | {
      outcome: "failed";
      step: GuideStepName;
      problem:
        "not_seen" | "has_password" | "page_closed" | "not_active" | "not_connected" | "refused";
      reason: string | null;
      failure?: Failure | null;
    };

const STEP_OF: Record<GuideIntent, GuideStepName> = {
  check_scripts: "scripts",
  init_tags: "tags",
  start_sync: "sync",
  check_embed: "embed",
  confirm_embed: "embed",
};

type FailedStep = Extract<GuideResult, { outcome: "failed" }>;

const failed = (
  name: GuideStepName,
  problem: FailedStep["problem"],
  reason: string | null = null,
): FailedStep => ({ outcome: "failed", step: name, problem, reason });

export async function runGuideAction(
  ctx: Ctx,
  shop: string,
  intent: GuideIntent,
): Promise<GuideResult> {
  const tenant = await findTenant(ctx, shop);
  if (!tenant) return failed(STEP_OF[intent], "not_connected");
  if (intent === "check_embed") return checkEmbed(ctx, tenant);
  if (intent === "confirm_embed") return recordEmbed(ctx, tenant, "merchant");
  if (!isConnected(tenant)) return failed(STEP_OF[intent], "not_connected");
  if (intent === "check_scripts") return checkScripts(ctx, tenant);
  if (intent === "init_tags") return initTags(ctx, tenant);
  await requestSync(ctx, shop);
  return { outcome: "done", step: "sync" };
}

/** What the store admin says about the app embed in the published theme. */
export async function reportEmbed(ctx: Ctx, shop: string, isActive: boolean): Promise<GuideResult> {
  const tenant = await findTenant(ctx, shop);
  if (!tenant) return failed("embed", "not_connected");
  if (isActive) return recordEmbed(ctx, tenant, "admin");
  await deleteKey(dataOf(ctx, tenant).sql, KEYS.themeEmbed);
  return failed("embed", "not_active");
}

async function checkScripts(ctx: Ctx, tenant: Tenant): Promise<GuideResult> {
  try {
    await startStorefrontCheck(ctx, tenant);
    return { outcome: "done", step: "scripts" };
  } catch (error) {
    return refused("scripts", error);
  }
}

async function initTags(ctx: Ctx, tenant: Tenant): Promise<GuideResult> {
  const hasCms = isChannelEnabled(ctx, tenant, "cms") && tenant.config.cms_site_id !== undefined;
  const wanted: TagStep[] = ["backend", "storefront", ...(hasCms ? (["cms"] as const) : [])];
  try {
    for (const one of wanted) await initTagStep(ctx, tenant, one);
    await matchTagsAtOnce(ctx, tenant);
    return { outcome: "done", step: "tags" };
  } catch (error) {
    return refused("tags", error);
  }
}

async function checkEmbed(ctx: Ctx, tenant: Tenant): Promise<GuideResult> {
  try {
    const { status, text, hasPassword } = await ctx.storefront.frontPage(tenant.shop);
    if (status === 200 && carriesEmbed(text)) return await recordEmbed(ctx, tenant, "seen");
    const problem = hasPassword ? "has_password" : status === 200 ? "not_seen" : "page_closed";
    return failed("embed", problem, problem === "page_closed" ? `HTTP ${status}` : null);
  } catch (error) {
    return refused("embed", error);
  }
}

async function recordEmbed(
  ctx: Ctx,
  tenant: Tenant,
  by: "admin" | "seen" | "merchant",
): Promise<GuideResult> {
  await putKey(dataOf(ctx, tenant).sql, KEYS.themeEmbed, { by, at: ctx.clock.now().toISOString() });
  return { outcome: "done", step: "embed" };
}

function refused(name: GuideStepName, error: unknown): GuideResult {
  if (!isAppError(error) && !(error instanceof OutboundError)) throw error;
  const { message: reason } = error;
  return { ...failed(name, "refused", reason), failure: knownFailureOf(reason) };
}
