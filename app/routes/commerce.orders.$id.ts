import { z } from "zod";
import { findOrder } from "../domain/commerce/orders.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_READ } from "../http/rate-limit.ts";
import { OrderWithItems } from "../http/openapi/results/commerce.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "One of the shopper's own orders of the last 60 days, by its gid or number, with line items and fulfillments.",
    auth: "person",
    access: "viewed",
    agent: { scope: "dev.ucp.shopping.order:read", needsConsent: true },
    agentOperation: "get_order",
    tenant: "registered",
    rateLimit: AGENT_READ,
    result: z.object({ order: OrderWithItems }),
    async handle({ ctx, tenant, principal, params }) {
      const order = await findOrder(ctx, tenant, principal.account, params.id ?? "");
      if (!order) throw new AppError("not_found");
      return { order };
    },
  },
});
