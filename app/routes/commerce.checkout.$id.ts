import { getCheckout } from "../domain/commerce/checkouts.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "A checkout of one's own, or any of the store with the admin key.",
    auth: "person_or_admin",
    agent: { scope: "dev.ucp.shopping.checkout:manage", needsConsent: true },
    tenant: "registered",
    handle: ({ ctx, tenant, principal, params }) =>
      getCheckout(ctx, tenant, principal, params.id ?? ""),
  },
});
