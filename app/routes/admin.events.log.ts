import { z } from "zod";
import { listDeliveryAttempts } from "../domain/bus/log/delivery-log.ts";
import { endpoint } from "../http/endpoint.ts";
import { Page, readCursor, toCursor } from "../http/paging.ts";
import { DeliveryAttempt } from "../http/openapi/results/events.ts";
import { NextCursor } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Delivery attempts, newest first.",
    auth: "event_admin",
    tenant: "registered",
    query: Page.extend({ channel: z.string().max(40).optional() }),
    result: z.object({ entries: z.array(DeliveryAttempt), next_cursor: NextCursor }),
    async handle({ ctx, tenant, query }) {
      const list = `deliveries/${tenant.shop}/${query.channel ?? ""}`;
      const { entries, next } = await listDeliveryAttempts(ctx, tenant, {
        channel: query.channel,
        limit: query.limit,
        before: readCursor(ctx.secrets, list, query.cursor),
      });
      return { entries, next_cursor: next === null ? null : toCursor(ctx.secrets, list, next) };
    },
  },
});
