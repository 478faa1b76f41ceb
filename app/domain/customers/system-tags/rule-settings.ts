// The thresholds of the tag rules as the merchant sees and changes them.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { IS_CONTACT, LAST_ACTIVE_AT } from "../../tags/system-tags.ts";
import { countBySystem } from "../../tags/tag-usage.ts";
import { saveTenantConfig } from "../../tenants/settings/configuration.ts";
import { versionOf } from "../../tenants/settings/field-versions.ts";
import { TagRules } from "../../tenants/settings/tag-rules.ts";
import { dataOf, getTenant, withTenant, type Tenant } from "../../tenants/tenant.ts";
import type { BulkRunState } from "../bulk/run-row.ts";
import { runChangedRules } from "./rule-run.ts";

export const CountedRules = z.object({ rules: TagRules });
/** `version`: of the thresholds that the form showed. */
export const SavedRules = CountedRules.extend({ version: z.string().max(40) });

export type RuleSettings = { rules: TagRules; version: string };

export const readRuleSettings = (ctx: Ctx, tenant: Tenant): RuleSettings => ({
  rules: tenant.config.tag_rules,
  version: versionOf(ctx, tenant, "tag_rules"),
});

/** The tags whose customers depend on a threshold. */
const THRESHOLD_TAGS = ["inactive", "vip", "high_value", "new_customer", "at_risk"] as const;
export type RuleCounts = Record<(typeof THRESHOLD_TAGS)[number], number>;

/** For how many customers the rules set each of these tags now, counted up to a bound. Tags by hand do not count. */
export const countThresholdTags = (ctx: Ctx, tenant: Tenant): Promise<Record<string, number>> =>
  countBySystem(ctx, tenant, THRESHOLD_TAGS);

const before = (place: string) => `now() - make_interval(days => ${place}::int)`;

// The rules of tags/system-tag-rules.ts over all customers at once: one pass over the store's rows.
const COUNTS = `
  SELECT count(*) FILTER (WHERE ${LAST_ACTIVE_AT} <= ${before("$2")})::int AS inactive,
    count(*) FILTER (WHERE amount_spent >= $3 OR number_of_orders >= $4)::int AS vip,
    count(*) FILTER (WHERE amount_spent >= $5)::int AS high_value,
    count(*) FILTER (WHERE least(created_at, storefront_created_at) > ${before("$6")})::int
      AS new_customer,
    count(*) FILTER (WHERE number_of_orders > 0 AND ${LAST_ACTIVE_AT} <= ${before("$7")})::int
      AS at_risk
  FROM storefront_users u WHERE shop = $1 AND status <> 'deleted' AND unproven_email IS NULL
    AND NOT ${IS_CONTACT}`;

/** How many customers the thresholds mean, before they are saved. Tags by hand are not looked at. */
export async function countRules(
  ctx: Ctx,
  tenant: Tenant,
  { rules }: z.output<typeof CountedRules>,
): Promise<RuleCounts> {
  const [counts] = await dataOf(ctx, tenant).sql<RuleCounts>(COUNTS, [
    rules.inactive_after_days,
    rules.vip_amount,
    rules.vip_orders,
    rules.high_value_amount,
    rules.new_days,
    rules.at_risk_days,
  ]);
  if (!counts) throw new Error("the count returned no row");
  return counts;
}

/** Throws `conflict` when the thresholds were changed meanwhile. Returns the run that it started. */
export async function saveRules(
  ctx: Ctx,
  tenant: Tenant,
  { rules, version }: z.output<typeof SavedRules>,
  staffId: string | null = null,
): Promise<BulkRunState | null> {
  const { shop } = tenant;
  const seen = { tag_rules: version };
  await withTenant(ctx, shop, () =>
    saveTenantConfig(ctx, shop, { tag_rules: rules }, { by: "store", seen }),
  );
  return runChangedRules(ctx, await getTenant(ctx, shop), staffId);
}
