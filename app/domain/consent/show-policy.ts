// One version of a policy for reading, and another one of the same language to compare it with.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { findPolicy, listPolicies, PolicyInput, type StoredPolicy } from "./policies.ts";
import { toReadableText } from "./policy-text/readable-text.ts";

export const PolicyAddress = z.object({
  version: PolicyInput.shape.version,
  locale: PolicyInput.shape.locale,
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
  { version, locale, against }: z.output<typeof PolicyAddress>,
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

const toShown = ({ body, ...policy }: StoredPolicy): ShownPolicy => ({
  ...policy,
  text: toReadableText(body),
});
