import { CheckoutInput } from "../domain/commerce/checkout.ts";
import { createCheckout } from "../domain/commerce/checkouts.ts";
import { withIdempotencyKey } from "../domain/commerce/idempotency.ts";
import { endpoint, json } from "../http/endpoint.ts";
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
    async handle({ ctx, tenant, principal, body, request, noteMoney }) {
      const attempt = {
        key: request.header("idempotency-key"),
        person: principal,
        operation: "checkout.create",
        body,
      };
      const { answer, isReplayed } = await withIdempotencyKey(ctx, tenant, attempt, (keep) =>
        createCheckout(
          ctx,
          tenant,
          { person: principal, userAgent: request.header("user-agent") ?? null, keep, noteMoney },
          body,
        ),
      );
      return json(201, answer, isReplayed ? { "Idempotent-Replayed": "true" } : {});
    },
  },
});
