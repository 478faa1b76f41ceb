import { findOrder } from "../domain/commerce/orders.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_READ } from "../http/rate-limit.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "One of the shopper's own orders, by its gid or number, with line items and fulfillments.",
    auth: "person",
    access: "viewed",
    agent: { scope: "dev.ucp.shopping.order:read", needsConsent: true },
    tenant: "registered",
    rateLimit: AGENT_READ,
    async handle({ ctx, tenant, principal, params }) {
      const order = await findOrder(ctx, tenant, principal.account, params.id ?? "");
      if (!order) throw new AppError("not_found");
      return { order };
    },
  },
});
