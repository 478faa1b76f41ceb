import { z } from "zod";
import { listOrders } from "../domain/commerce/orders.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { AGENT_READ } from "../http/rate-limit.ts";
import { Page, readKeyCursor, toKeyCursor } from "../http/paging.ts";
import { Order } from "../http/openapi/results/commerce.ts";
import { NextCursor } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "The shopper's own orders of the last 60 days, newest first; the list is at most five minutes old (`X-Cache: hit|miss`).",
    auth: "person",
    access: "viewed",
    agent: { scope: "dev.ucp.shopping.order:read", needsConsent: true },
    agentOperation: "list_orders",
    tenant: "registered",
    rateLimit: AGENT_READ,
    query: Page,
    result: z.object({ orders: z.array(Order), next_cursor: NextCursor }),
    async handle({ ctx, tenant, principal: { account }, query }) {
      const list = `orders/${tenant.shop}/${account.id}`;
      const { orders, next, isCached } = await listOrders(ctx, tenant, account, {
        limit: query.limit,
        after: readKeyCursor(ctx.secrets, list, query.cursor),
      });
      return json(
        200,
        { orders, next_cursor: next === null ? null : toKeyCursor(ctx.secrets, list, next) },
        { "X-Cache": isCached ? "hit" : "miss" },
      );
    },
  },
});
