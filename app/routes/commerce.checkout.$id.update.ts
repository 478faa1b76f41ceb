import { CheckoutChange } from "../domain/commerce/checkout/checkout-input.ts";
import { updateCheckout } from "../domain/commerce/checkout/change-checkout.ts";
import { respondIdempotently } from "../http/agents/idempotent-response.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_CHANGE } from "../http/rate-limit.ts";
import { Checkout } from "../http/openapi/results/commerce.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Puts other items into a checkout, at the storefront's prices of now.",
    auth: "person",
    access: "changed",
    agent: { scope: "dev.ucp.shopping.checkout:manage", needsConsent: true },
    agentOperation: "update_checkout",
    tenant: "registered",
    rateLimit: AGENT_CHANGE,
    body: CheckoutChange,
    answers: {
      200: "The checkout.",
      403: "`mandate_refused`, with its `reason`.",
      409: "`checkout_closed`, `items_unavailable`.",
    },
    result: Checkout,
    handle(call) {
      const { id = "" } = call.params;
      return respondIdempotently(call, { operation: `checkout.update/${id}` }, (caller) =>
        updateCheckout(call.ctx, call.tenant, caller, id, call.body),
      );
    },
  },
});
