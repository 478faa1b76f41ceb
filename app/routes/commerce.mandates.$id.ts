import { getMandate, revokeMandate } from "../domain/commerce/mandates.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_CHANGE, AGENT_READ } from "../http/rate-limit.ts";
import { Mandate } from "../http/openapi/results/commerce.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "A mandate of one's own, or any of the store with the admin key.",
    auth: "person_or_admin",
    access: "viewed",
    agent: { scope: "commerce.mandates:create" },
    agentOperation: "get_mandate",
    tenant: "registered",
    rateLimit: AGENT_READ,
    result: Mandate,
    async handle({ ctx, tenant, principal, params, accessed }) {
      const mandate = await getMandate(ctx, tenant, principal, params.id ?? "");
      accessed({ userIds: [mandate.customer_id] });
      return mandate;
    },
  },
  DELETE: {
    summary: "Revokes a mandate: no further checkout is made under it.",
    auth: "person_or_admin",
    access: "changed",
    agent: { scope: "commerce.mandates:create" },
    agentOperation: "revoke_mandate",
    tenant: "registered",
    rateLimit: AGENT_CHANGE,
    result: Mandate,
    async handle({ ctx, tenant, principal, params, accessed }) {
      const mandate = await revokeMandate(ctx, tenant, principal, params.id ?? "");
      accessed({ userIds: [mandate.customer_id] });
      return mandate;
    },
  },
});
