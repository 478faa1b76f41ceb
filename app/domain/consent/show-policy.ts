// One version of a policy for reading, and another one of the same language to compare it with.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { findPolicy, listPolicies, PolicyInput, type StoredPolicy } from "./policies.ts";
import { toReadableText } from "./policy-text/readable-text.ts";

export const PolicyAddress = z.object({
  version: PolicyInput.shape.version,
  language: PolicyInput.shape.locale,
  against: PolicyInput.shape.version.optional().catch(undefined),
});

export type ShownPolicy = Omit<StoredPolicy, "body"> & { text: string };
export type PolicyView = {
  policy: ShownPolicy;
  /** Null when none is asked for, or there is none of that name. */
  against: ShownPolicy | null;
  /** The other versions in this language, newest first. */
  others: string[];
};

/** Null when there is no such version. */
export async function showPolicy(
  ctx: Ctx,
  tenant: Tenant,
  { version, language: locale, against }: z.output<typeof PolicyAddress>,
): Promise<PolicyView | null> {
  const data = dataOf(ctx, tenant);
  const [policy, other, all] = await Promise.all([
    findPolicy(data, version, locale),
    against !== undefined && against !== version ? findPolicy(data, against, locale) : null,
    listPolicies(data.sql),
  ]);
  if (!policy) return null;
  return {
    policy: toShown(policy),
    against: other && toShown(other),
    others: all
      .filter((one) => one.locale === locale && one.version !== version)
      .map((one) => one.version),
  };
}

/**
 * The version in force as shoppers read it: in this language, else in the store's, else in any. Null when
 * its text is not published here.
 */
export async function findPolicyInForce(
  ctx: Ctx,
  tenant: Tenant,
  locale: string,
): Promise<ShownPolicy | null> {
  const version = tenant.config.consent_policy_version;
  if (version === undefined) return null;
  const data = dataOf(ctx, tenant);
  const published = await data.prisma.consentPolicy.findMany({
    select: { locale: true },
    where: { version },
    orderBy: { locale: "asc" },
  });
  const locales = published.map((policy) => policy.locale);
  const isIn = (wanted: string) => (known: string) => known.slice(0, 2) === wanted.slice(0, 2);
  const nearest =
    locales.find((known) => known === locale) ??
    locales.find(isIn(locale)) ??
    locales.find(isIn(tenant.config.locale)) ??
    locales[0];
  const policy = nearest === undefined ? null : await findPolicy(data, version, nearest);
  return policy && toShown(policy);
}

const toShown = ({ body, ...policy }: StoredPolicy): ShownPolicy => ({
  ...policy,
  text: toReadableText(body),
});
