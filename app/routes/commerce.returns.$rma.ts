import { getReturn } from "../domain/commerce/returns.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_READ } from "../http/rate-limit.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "What came back under an RMA of one's own order, unit by unit; any of the store with the admin key.",
    auth: "person_or_admin",
    agent: { scope: "dev.ucp.shopping.order:read", needsConsent: true },
    tenant: "registered",
    rateLimit: AGENT_READ,
    handle: ({ ctx, tenant, principal, params }) =>
      getReturn(ctx, tenant, principal, params.rma ?? ""),
  },
});
