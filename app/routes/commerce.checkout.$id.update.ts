import { CheckoutChange } from "../domain/commerce/checkout.ts";
import { updateCheckout } from "../domain/commerce/checkouts.ts";
import { withIdempotencyKey } from "../domain/commerce/idempotency.ts";
import { endpoint, json } from "../http/endpoint.ts";
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
    async handle({ ctx, tenant, principal, params, body, request, noteMoney }) {
      const { id = "" } = params;
      const attempt = {
        key: request.header("idempotency-key"),
        person: principal,
        operation: `checkout.update/${id}`,
        body,
      };
      const { answer, isReplayed } = await withIdempotencyKey(ctx, tenant, attempt, (keep) =>
        updateCheckout(
          ctx,
          tenant,
          { person: principal, userAgent: request.header("user-agent") ?? null, keep, noteMoney },
          id,
          body,
        ),
      );
      return json(200, answer, isReplayed ? { "Idempotent-Replayed": "true" } : {});
    },
  },
});
