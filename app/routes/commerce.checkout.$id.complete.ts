import { completeCheckout } from "../domain/commerce/checkout/complete-checkout.ts";
import { respondIdempotently } from "../http/agents/idempotent-response.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_CHANGE } from "../http/rate-limit.ts";
import { Checkout } from "../http/openapi/results/commerce.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "Confirms a checkout: `complete_in_progress` until the storefront's order comes, or `requires_escalation` when the shopper must act.",
    auth: "person",
    access: "changed",
    agent: { scope: "dev.ucp.shopping.checkout:manage", needsConsent: true },
    agentOperation: "complete_checkout",
    tenant: "registered",
    rateLimit: AGENT_CHANGE,
    answers: {
      200: "The checkout.",
      403: "`mandate_refused`, with its `reason`.",
      409: "`checkout_closed`.",
    },
    result: Checkout,
    handle(call) {
      const { id = "" } = call.params;
      return respondIdempotently(call, { operation: `checkout.complete/${id}` }, (caller) =>
        completeCheckout(call.ctx, call.tenant, caller, id),
      );
    },
  },
});
