import { getCheckout } from "../domain/commerce/checkouts.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_READ } from "../http/rate-limit.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "A checkout of one's own, or any of the store with the admin key.",
    auth: "person_or_admin",
    agent: { scope: "dev.ucp.shopping.checkout:manage", needsConsent: true },
    tenant: "registered",
    rateLimit: AGENT_READ,
    handle: ({ ctx, tenant, principal, params }) =>
      getCheckout(ctx, tenant, principal, params.id ?? ""),
  },
});
