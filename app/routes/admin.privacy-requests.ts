import { z } from "zod";
import { listPrivacyRequests } from "../domain/compliance/requests/list-requests.ts";
import { endpoint } from "../http/endpoint.ts";
import { Page, readCursor, toCursor } from "../http/paging.ts";
import { PrivacyRequest } from "../http/openapi/results/operation.ts";
import { NextCursor } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "Privacy requests of a store, newest first, with their state and the evidence of what was done.",
    auth: "admin",
    tenant: "named",
    query: Page,
    result: z.object({ requests: z.array(PrivacyRequest), next_cursor: NextCursor }),
    async handle({ ctx, shop, tenant, query }) {
      const list = `privacy-requests/${shop}`;
      const { requests, next } = await listPrivacyRequests(ctx, shop, tenant, {
        limit: query.limit,
        before: readCursor(ctx.secrets, list, query.cursor),
      });
      return { requests, next_cursor: next === null ? null : toCursor(ctx.secrets, list, next) };
    },
  },
});
