import { cancelCheckout } from "../domain/commerce/checkout/change-checkout.ts";
import { respondIdempotently } from "../http/agents/idempotent-response.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_CHANGE } from "../http/rate-limit.ts";
import { Checkout } from "../http/openapi/results/commerce.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Ends a checkout that is not completed, and gives back what it holds of its mandate.",
    auth: "person",
    access: "changed",
    agent: { scope: "dev.ucp.shopping.checkout:manage", needsConsent: true },
    agentOperation: "cancel_checkout",
    tenant: "registered",
    rateLimit: AGENT_CHANGE,
    answers: { 200: "The checkout.", 409: "`checkout_closed`." },
    result: Checkout,
    handle(call) {
      const { id = "" } = call.params;
      return respondIdempotently(call, { operation: `checkout.cancel/${id}` }, (caller) =>
        cancelCheckout(call.ctx, call.tenant, caller, id),
      );
    },
  },
});
