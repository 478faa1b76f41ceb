// Publishing a policy from the merchant's screen, optionally making it the current one.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { saveTenantConfig } from "../tenants/settings/configuration.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { PolicyInput, publishPolicy } from "./policies.ts";

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
  if (isCurrent)
    await saveTenantConfig(
      ctx,
      tenant.shop,
      { consent_policy_version: policy.version },
      { by: "store" },
    );
  ctx.log.info("policy.published", {
    shop: tenant.shop,
    version: policy.version,
    locale: policy.locale,
    is_current: isCurrent,
  });
  return { version: policy.version };
}
