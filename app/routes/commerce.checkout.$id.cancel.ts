import { cancelCheckout } from "../domain/commerce/checkouts.ts";
import { withIdempotencyKey } from "../domain/commerce/idempotency.ts";
import { endpoint, json } from "../http/endpoint.ts";
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
    async handle({ ctx, tenant, principal, params, request }) {
      const { id = "" } = params;
      const attempt = {
        key: request.header("idempotency-key"),
        person: principal,
        operation: `checkout.cancel/${id}`,
        body: null,
      };
      const { answer, isReplayed } = await withIdempotencyKey(ctx, tenant, attempt, (keep) =>
        cancelCheckout(
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
