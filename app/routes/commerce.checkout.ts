import { CheckoutInput } from "../domain/commerce/checkout/checkout-input.ts";
import { createCheckout } from "../domain/commerce/checkout/create-checkout.ts";
import { respondIdempotently } from "../http/agents/idempotent-response.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_CHANGE } from "../http/rate-limit.ts";
import { Checkout } from "../http/openapi/results/commerce.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "Starts a checkout at the storefront's prices, with a mandate or for the shopper to finish. `Idempotency-Key` is honoured.",
    auth: "person",
    access: "changed",
    agent: { scope: "dev.ucp.shopping.checkout:manage", needsConsent: true },
    agentOperation: "create_checkout",
    tenant: "registered",
    rateLimit: AGENT_CHANGE,
    body: CheckoutInput,
    answers: {
      201: "The checkout, and where the shopper pays.",
      403: "`mandate_refused`, with its `reason`.",
      409: "`items_unavailable`, `idempotency_conflict`, `idempotency_in_flight`.",
    },
    result: Checkout,
    handle: (call) =>
      respondIdempotently(call, { operation: "checkout.create", status: 201 }, (caller) =>
        createCheckout(call.ctx, call.tenant, caller, call.body),
      ),
  },
});
