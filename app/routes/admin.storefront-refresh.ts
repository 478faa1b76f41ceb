import { forceRefresh } from "../domain/tenants/storefront/checks.ts";
import { endpoint } from "../http/endpoint.ts";
import { Ok, Timestamp } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Refreshes the storefront token now, whatever time it has left.",
    auth: "admin",
    tenant: "registered",
    answers: {
      200: "A new token is stored.",
      502: "The storefront gave none; the message says what helps.",
    },
    result: Ok.extend({ expires_at: Timestamp.nullable() }),
    handle: async ({ ctx, shop }) => ({ ok: true, expires_at: await forceRefresh(ctx, shop) }),
  },
});
