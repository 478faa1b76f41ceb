import { completeCheckout } from "../domain/commerce/complete-checkout.ts";
import { withIdempotencyKey } from "../domain/commerce/idempotency.ts";
import { endpoint, json } from "../http/endpoint.ts";
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
    async handle({ ctx, tenant, principal, params, request }) {
      const { id = "" } = params;
      const attempt = {
        key: request.header("idempotency-key"),
        person: principal,
        operation: `checkout.complete/${id}`,
        body: null,
      };
      const { answer, isReplayed } = await withIdempotencyKey(ctx, tenant, attempt, (keep) =>
        completeCheckout(
          ctx,
          tenant,
          { person: principal, userAgent: request.header("user-agent") ?? null, keep },
          id,
        ),
      );
      return json(200, answer, isReplayed ? { "Idempotent-Replayed": "true" } : {});
    },
  },
});
