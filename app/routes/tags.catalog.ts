import { z } from "zod";
import { listCatalog } from "../domain/tags/list-catalog.ts";
import { endpoint } from "../http/endpoint.ts";
import { Page, readCursor, toCursor } from "../http/paging.ts";
import { NextCursor } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The store's tags, and which of them a person may choose.",
    auth: "session",
    tenant: "registered",
    query: Page,
    result: z.object({
      tags: z.array(
        z.object({
          slug: z.string(),
          name: z.string(),
          category: z.string(),
          self_service: z.boolean(),
        }),
      ),
      next_cursor: NextCursor,
    }),
    async handle({ ctx, tenant, query }) {
      const list = `tags/${tenant.shop}`;
      const { tags, next } = await listCatalog(ctx, tenant, {
        limit: query.limit,
        after: readCursor(ctx.secrets, list, query.cursor),
      });
      return { tags, next_cursor: next === null ? null : toCursor(ctx.secrets, list, next) };
    },
  },
});
