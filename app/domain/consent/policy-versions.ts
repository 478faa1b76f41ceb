// Publishing a policy from the merchant's screen, and putting a published one in force.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { saveTenantConfig } from "../tenants/settings/configuration.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { listPolicies, PolicyInput, publishPolicy, type ListedPolicy } from "./policies.ts";

/** The maximum length of the setting that names the current version. */
const MAX_VERSION = 40;

export const NewPolicyVersion = PolicyInput.extend({
  version: z.string().trim().min(1).max(MAX_VERSION),
  is_current: z.boolean(),
});

/** Throws `conflict` when the version was published with another text. */
export async function addPolicyVersion(
  ctx: Ctx,
  tenant: Tenant,
  { is_current: isCurrent, ...policy }: z.output<typeof NewPolicyVersion>,
): Promise<{ version: string }> {
  const { isStored } = await publishPolicy(dataOf(ctx, tenant), policy);
  if (!isStored) throw new AppError("conflict");
  if (isCurrent) await saveVersion(ctx, tenant, policy.version);
  ctx.log.info("policy.published", {
    shop: tenant.shop,
    version: policy.version,
    locale: policy.locale,
    is_current: isCurrent,
  });
  return { version: policy.version };
}

export const PublishedVersion = z.object({ version: z.string().min(1).max(MAX_VERSION) });

/** New consents name this version, so every shopper is asked again. Throws `not_found`. */
export async function putInForce(
  ctx: Ctx,
  tenant: Tenant,
  { version }: z.output<typeof PublishedVersion>,
): Promise<{ version: string }> {
  const policies = await listPolicies(dataOf(ctx, tenant).sql);
  if (!versionsOf(policies).includes(version)) throw new AppError("not_found");
  await saveVersion(ctx, tenant, version);
  ctx.log.info("policy.in_force", { shop: tenant.shop, version });
  return { version };
}

const saveVersion = (ctx: Ctx, { shop }: Tenant, version: string) =>
  saveTenantConfig(ctx, shop, { consent_policy_version: version }, { by: "store" });

/**
 * Those that can be put in force, newest first. The API publishes longer names too, and names with spaces
 * around them, for consents that name their version themselves: the setting cannot hold either.
 */
export const versionsOf = (policies: readonly ListedPolicy[]): string[] =>
  [...new Set(policies.map(({ version }) => version))].filter(
    (version) => version.length <= MAX_VERSION && version === version.trim(),
  );
