// The screen of the region rules: the store's own, what they cover, and what the platform has.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { inTime, LATE_PART_MS } from "../../runtime/deadlines/in-time.ts";
import { STORE_LATE } from "../bus/log/system-problem.ts";
import {
  readRegionPolicies,
  writeRegionPolicies,
  type PolicyOutcome,
  type RegionPolicies,
} from "../consent/region-policies.ts";
import {
  ConsentRegions,
  REGION_GROUP_NAMES,
  REGION_GROUPS,
  REGION_PRESETS,
} from "../tenants/consent-regions.ts";
import { saveTenantConfig } from "../tenants/settings/configuration.ts";
import { versionOf } from "../tenants/settings/field-versions.ts";
import { withTenant, type Tenant } from "../tenants/tenant.ts";

export type RegionRulesView = {
  /** Null where the store follows the platform's own rules. */
  rules: ConsentRegions | null;
  presets: typeof REGION_PRESETS;
  groups: { name: (typeof REGION_GROUP_NAMES)[number]; regions: readonly string[] }[];
  /** The version of the saved rules (settings/field-versions.ts). */
  version: string;
  platform: Promise<RegionPolicies>;
};

export const readRegionRules = (ctx: Ctx, tenant: Tenant): RegionRulesView => ({
  rules: tenant.config.consent_regions ?? null,
  presets: REGION_PRESETS,
  groups: REGION_GROUP_NAMES.map((name) => ({ name, regions: REGION_GROUPS[name] })),
  version: versionOf(ctx, tenant, "consent_regions"),
  platform: inTime<RegionPolicies>(readRegionPolicies(ctx, tenant), LATE_PART_MS, () => ({
    state: "unavailable",
    problem: STORE_LATE,
  })),
});

export const SaveRegionRules = z.object({
  rules: ConsentRegions.nullable(),
  version: z.string().max(40),
});

/** Saves the rules, unless somebody else did meanwhile (`conflict`), and writes them to the platform. */
export async function saveRegionRules(
  ctx: Ctx,
  { shop }: Tenant,
  { rules, version }: z.output<typeof SaveRegionRules>,
): Promise<PolicyOutcome> {
  await withTenant(ctx, shop, () =>
    saveTenantConfig(
      ctx,
      shop,
      { consent_regions: rules },
      { by: "store", seen: { consent_regions: version } },
    ),
  );
  return rules ? writeRegionPolicies(ctx, shop) : { outcome: "written", count: 0 };
}
