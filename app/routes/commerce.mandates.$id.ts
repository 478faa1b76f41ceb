import { getMandate, revokeMandate } from "../domain/commerce/mandates.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "A mandate of one's own, or any of the store with the admin key.",
    auth: "person_or_admin",
    agent: { scope: "commerce.mandates:create" },
    tenant: "registered",
    handle: ({ ctx, tenant, principal, params }) =>
      getMandate(ctx, tenant, principal, params.id ?? ""),
  },
  DELETE: {
    summary: "Revokes a mandate: no further checkout is made under it.",
    auth: "person_or_admin",
    agent: { scope: "commerce.mandates:create" },
    tenant: "registered",
    handle: ({ ctx, tenant, principal, params }) =>
      revokeMandate(ctx, tenant, principal, params.id ?? ""),
  },
});
