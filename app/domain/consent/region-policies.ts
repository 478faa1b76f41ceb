// A store's region rules at the platform (DECISIONS 18): what the platform asks where, the difference to
// the store's own rules, and the platform's own banner, which must be off before the platform accepts
// rules. Reading and writing need scopes that the merchant grants on demand.
import { isDeepStrictEqual } from "node:util";
import type { Ctx } from "../../context.server.ts";
import {
  CONSENT_POLICIES,
  CONSENT_POLICY_UPDATE,
  PRIVACY_FEATURES_DISABLE,
} from "../../integrations/storefront/documents.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
import { storeProblemOf, type SystemProblem } from "../bus/log/system-problem.ts";
import {
  findMode,
  REGION_GROUP_NAMES,
  REGION_GROUPS,
  REGION_MODES,
  type ConsentRegions,
  type RegionGroup,
  type RegionMode,
} from "../tenants/consent-regions.ts";
import {
  callAdminApi,
  requireNoUserErrors,
  type UserError,
} from "../tenants/storefront/admin-api.ts";
import { getTenant, type Tenant } from "../tenants/tenant.ts";

const PRIVACY_SCOPES = ["read_privacy_settings", "write_privacy_settings"] as const;

export type RegionPolicies =
  | {
      state: "known";
      hasPlatformBanner: boolean;
      /** The regions whose rule at the platform is another one; null where the store has no rules. */
      differing: string[] | null;
      total: number;
      /** What the platform's own rules say: of each group, how many of its regions have which rule. */
      applied: AppliedRules[];
    }
  | { state: "not_allowed"; scopes: readonly string[] }
  | { state: "not_connected" }
  | { state: "unavailable"; problem: SystemProblem };

export type AppliedRules = {
  name: RegionGroup | "rest";
  modes: { mode: RegionMode; count: number }[];
};

/** `banner_on`: the platform accepts no rules while its own banner is on. */
export type PolicyOutcome =
  | { outcome: "written"; count: number }
  | { outcome: "not_allowed" | "banner_on" | "not_connected" }
  | { outcome: "unavailable"; problem: SystemProblem };

type Policy = {
  countryCode: string | null;
  regionCode: string | null;
  consentRequired: boolean | null;
  dataSaleOptOutRequired: boolean | null;
};
type Answer = {
  consentPolicy: Policy[];
  consentPolicyRegions: Pick<Policy, "countryCode" | "regionCode">[];
  privacySettings: { banner: { enabled: boolean } | null };
};

/** The platform accepts at most 250 in one input. */
const MAX_POLICIES = 200;

const nameOf = ({ countryCode, regionCode }: Pick<Policy, "countryCode" | "regionCode">) =>
  regionCode ? `${countryCode}-${regionCode}` : (countryCode ?? "");

/** The policies that would have to be written so that the platform has the store's rules. */
function differencesOf(regions: ConsentRegions, answer: Answer) {
  const known = new Map(answer.consentPolicy.map((policy) => [nameOf(policy), policy]));
  return answer.consentPolicyRegions.flatMap(({ countryCode, regionCode }) => {
    if (!countryCode) return [];
    const mode = findMode(regions, countryCode, regionCode);
    const wanted = {
      countryCode,
      regionCode,
      consentRequired: mode === "opt_in",
      dataSaleOptOutRequired: mode === "opt_out",
    };
    const now = known.get(nameOf(wanted));
    const isSame =
      (now?.consentRequired ?? false) === wanted.consentRequired &&
      (now?.dataSaleOptOutRequired ?? false) === wanted.dataSaleOptOutRequired;
    return isSame ? [] : [wanted];
  });
}

const modeOf = (policy: Policy | undefined): RegionMode =>
  policy?.consentRequired ? "opt_in" : policy?.dataSaleOptOutRequired ? "opt_out" : "none";

function appliedRules({ consentPolicy, consentPolicyRegions }: Answer): AppliedRules[] {
  const known = new Map(consentPolicy.map((policy) => [nameOf(policy), policy]));
  const listed = consentPolicyRegions.map(nameOf);
  // A part of a country belongs to the country's group.
  const groupOf = (region: string) =>
    REGION_GROUP_NAMES.find((group) => {
      const regions: readonly string[] = REGION_GROUPS[group];
      return regions.includes(region) || regions.includes(region.slice(0, 2));
    });
  const countsOf = (regions: readonly string[]) =>
    REGION_MODES.map((mode) => ({
      mode,
      count: regions.filter((region) => modeOf(known.get(region)) === mode).length,
    })).filter(({ count }) => count > 0);
  const regionsOf = (group: RegionGroup): readonly string[] => {
    const own = listed.filter((region) => groupOf(region) === group);
    return own.length > 0 ? own : REGION_GROUPS[group];
  };
  return [
    ...REGION_GROUP_NAMES.map((name) => ({ name, modes: countsOf(regionsOf(name)) })),
    { name: "rest" as const, modes: countsOf(listed.filter((region) => !groupOf(region))) },
  ];
}

const readAnswer = (ctx: Ctx, shop: string): Promise<Answer> =>
  callAdminApi<Answer>(ctx, shop, { document: CONSENT_POLICIES });

/** Calls the store's API; never rejects. */
export async function readRegionPolicies(ctx: Ctx, tenant: Tenant): Promise<RegionPolicies> {
  try {
    const answer = await readAnswer(ctx, tenant.shop);
    const { consent_regions: regions } = tenant.config;
    return {
      state: "known",
      hasPlatformBanner: answer.privacySettings.banner?.enabled ?? false,
      differing: regions ? differencesOf(regions, answer).map(nameOf) : null,
      total: answer.consentPolicyRegions.length,
      applied: appliedRules(answer),
    };
  } catch (error) {
    const refusal = refusalOf(ctx, tenant.shop, error);
    if (refusal.outcome === "unavailable")
      return { state: refusal.outcome, problem: refusal.problem };
    if (refusal.outcome === "not_allowed")
      return { state: refusal.outcome, scopes: PRIVACY_SCOPES };
    return { state: refusal.outcome };
  }
}

/**
 * Brings the platform's policies in line; writes nothing where they are. Again while the rules are changed during a
 * call: the one that was written last could have the earlier ones. Never rejects.
 */
export async function writeRegionPolicies(ctx: Ctx, shop: string): Promise<PolicyOutcome> {
  try {
    for (let count = 0; ;) {
      const { consent_regions: regions } = (await getTenant(ctx, shop)).config;
      const differences = regions ? differencesOf(regions, await readAnswer(ctx, shop)) : [];
      if (!(await writeDifferences(ctx, shop, differences))) return { outcome: "banner_on" };
      count += differences.length;
      const current = (await getTenant(ctx, shop)).config.consent_regions;
      if (!isDeepStrictEqual(current, regions)) continue;
      ctx.log.info("region_policies.written", { shop, count });
      return { outcome: "written", count };
    }
  } catch (error) {
    return refusalOf(ctx, shop, error);
  }
}

/** False: the platform's own banner is on. */
async function writeDifferences(
  ctx: Ctx,
  shop: string,
  differences: ReturnType<typeof differencesOf>,
): Promise<boolean> {
  for (let at = 0; at < differences.length; at += MAX_POLICIES) {
    const { consentPolicyUpdate } = await callAdminApi<{
      consentPolicyUpdate: { userErrors: UserError[] };
    }>(ctx, shop, {
      document: CONSENT_POLICY_UPDATE,
      variables: { consentPolicies: differences.slice(at, at + MAX_POLICIES) },
    });
    const { userErrors } = consentPolicyUpdate;
    if (userErrors.some(({ code }) => code === "SHOPIFY_COOKIE_BANNER_NOT_DISABLED")) return false;
    requireNoUserErrors("consentPolicyUpdate", userErrors);
  }
  return true;
}

/** Turns the platform's own banner off, at the merchant's request, and then writes the rules. */
export async function disablePlatformBanner(ctx: Ctx, shop: string): Promise<PolicyOutcome> {
  try {
    const { privacyFeaturesDisable } = await callAdminApi<{
      privacyFeaturesDisable: { userErrors: UserError[] };
    }>(ctx, shop, {
      document: PRIVACY_FEATURES_DISABLE,
      variables: { features: ["COOKIE_BANNER"] },
    });
    requireNoUserErrors("privacyFeaturesDisable", privacyFeaturesDisable.userErrors);
    ctx.log.info("platform_banner.disabled", { shop });
  } catch (error) {
    return refusalOf(ctx, shop, error);
  }
  return writeRegionPolicies(ctx, shop);
}

type Refusal =
  { outcome: "not_allowed" | "not_connected" } | { outcome: "unavailable"; problem: SystemProblem };

function refusalOf(ctx: Ctx, shop: string, error: unknown): Refusal {
  // The platform names the missing scope in its answer.
  if (error instanceof OutboundError && PRIVACY_SCOPES.some((one) => error.message.includes(one)))
    return { outcome: "not_allowed" };
  if (isAppError(error)) return { outcome: "not_connected" };
  ctx.log.error("region_policies.unknown", error, { shop });
  return { outcome: "unavailable", problem: storeProblemOf(error) };
}
