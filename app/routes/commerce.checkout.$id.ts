import { getCheckout } from "../domain/commerce/checkout/change-checkout.ts";
import { findCheckoutOwner } from "../domain/compliance/access-log/find-owner.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_READ } from "../http/rate-limit.ts";
import { Checkout } from "../http/openapi/results/commerce.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "A checkout of one's own, or any of the store with the admin key.",
    auth: "person_or_admin",
    access: "viewed",
    agent: { scope: "dev.ucp.shopping.checkout:manage", needsConsent: true },
    agentOperation: "get_checkout",
    tenant: "registered",
    rateLimit: AGENT_READ,
    result: Checkout,
    async handle({ ctx, tenant, principal, params, accessed }) {
      const checkout = await getCheckout(ctx, tenant, principal, params.id ?? "");
      if (!principal) accessed({ userIds: await findCheckoutOwner(ctx, tenant, checkout.id) });
      return checkout;
    },
  },
});
