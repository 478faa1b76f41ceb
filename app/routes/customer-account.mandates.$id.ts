import { revokeMandate } from "../domain/commerce/mandates.ts";
import { endpoint } from "../http/endpoint.ts";
import { ACCOUNT_EXTENSION } from "../http/rate-limit.ts";
import { Mandate } from "../http/openapi/results/commerce.ts";

export const { loader, action, route } = endpoint({
  DELETE: {
    summary: "The customer revokes a mandate: no further checkout is made under it.",
    auth: "account_token",
    access: "changed",
    tenant: "registered",
    rateLimit: ACCOUNT_EXTENSION,
    result: Mandate,
    handle: ({ ctx, tenant, principal, params }) =>
      revokeMandate(ctx, tenant, principal, params.id ?? ""),
  },
});
