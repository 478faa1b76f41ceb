// The policies that the store itself publishes, to start a version from. Reading them needs a scope
// that the manifest asks for on demand (`optional_scopes`): a store that never uses this grants nothing.
import type { Ctx } from "../../context.server.ts";
import { SHOP_POLICIES } from "../../integrations/storefront/documents.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
import { storeProblemOf, type SystemProblem } from "../bus/log/system-problem.ts";
import { callAdminApi } from "../tenants/storefront/admin-api.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { toReadableText } from "./policy-text/readable-text.ts";

const POLICIES_SCOPE = "read_legal_policies";

export type PublishedPolicy = { type: string; title: string; updatedAt: string; text: string };
export type PublishedPolicies =
  | { state: "known"; policies: PublishedPolicy[] }
  | { state: "not_allowed"; scope: typeof POLICIES_SCOPE }
  | { state: "unavailable"; problem: SystemProblem };

type Answer = {
  shop: { shopPolicies: { type: string; title: string; body: string; updatedAt: string }[] };
};

/** Calls the store's API; never rejects. Policies without a text are left out. */
export async function readPublishedPolicies(ctx: Ctx, tenant: Tenant): Promise<PublishedPolicies> {
  try {
    const { shop } = await callAdminApi<Answer>(ctx, tenant.shop, { document: SHOP_POLICIES });
    const policies = shop.shopPolicies.map(({ body, ...policy }) => ({
      ...policy,
      text: toReadableText(body),
    }));
    return { state: "known", policies: policies.filter(({ text }) => text !== "") };
  } catch (error) {
    // The platform names the missing scope in its answer.
    if (error instanceof OutboundError && error.message.includes(POLICIES_SCOPE))
      return { state: "not_allowed", scope: POLICIES_SCOPE };
    if (!isAppError(error) && !(error instanceof OutboundError))
      ctx.log.error("published_policies.unknown", error, { shop: tenant.shop });
    return { state: "unavailable", problem: storeProblemOf(error) };
  }
}
