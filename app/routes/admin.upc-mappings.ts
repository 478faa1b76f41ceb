import { z } from "zod";
import { listUpcMappings, saveUpcMappings, UpcMappings } from "../domain/events/upc-mappings.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { endpoint } from "../http/endpoint.ts";
import { Page, readKeyCursor, toKeyCursor } from "../http/paging.ts";
import { NextCursor, Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The store's SKUs and their UPCs, in the order of the SKUs.",
    auth: "event_admin",
    tenant: "registered",
    query: Page,
    result: z.object({
      mappings: z.array(z.object({ sku: z.string(), upc: z.string() })),
      next_cursor: NextCursor,
    }),
    async handle({ ctx, tenant, query }) {
      const list = `upc-mappings/${tenant.shop}`;
      const { mappings, next } = await listUpcMappings(dataOf(ctx, tenant).prisma, {
        after: readKeyCursor(ctx.secrets, list, query.cursor),
        limit: query.limit,
      });
      return { mappings, next_cursor: next === null ? null : toKeyCursor(ctx.secrets, list, next) };
    },
  },
  PUT: {
    summary: "Adds UPCs to SKUs or changes them, up to 1,000 at once; others stay.",
    auth: "event_admin",
    tenant: "registered",
    body: UpcMappings,
    result: Ok.extend({ saved: z.int() }),
    async handle({ ctx, tenant, body }) {
      return { ok: true, saved: await saveUpcMappings(dataOf(ctx, tenant).sql, body.mappings) };
    },
  },
});
