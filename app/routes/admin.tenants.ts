import { z } from "zod";
import { listTenants, toTenantSummary } from "../domain/tenants/directory.ts";
import { endpoint } from "../http/endpoint.ts";
import { Page, readKeyCursor, toKeyCursor } from "../http/paging.ts";
import { TenantSummary } from "../http/openapi/results/operation.ts";
import { NextCursor } from "../http/openapi/results/outcome.ts";
import { AppError } from "../runtime/errors.ts";

const LIST = "tenants";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The registered tenants, all of them or by pages. A tenant's own key sees itself.",
    auth: "admin",
    tenant: "optional",
    query: Page.extend({
      limit: Page.shape.limit.unwrap().optional(),
      region: z.string().max(40).optional(),
    }),
    result: z.object({ tenants: z.array(TenantSummary), next_cursor: NextCursor }),
    async handle({ ctx, tenant, principal, query }) {
      const after = readKeyCursor(ctx.secrets, LIST, query.cursor);
      if (principal.kind === "platform_key") {
        const { tenants, next } = await listTenants(ctx, {
          region: query.region,
          after,
          limit: query.limit ?? (after === null ? null : 20),
        });
        return {
          tenants,
          next_cursor: next === null ? null : toKeyCursor(ctx.secrets, LIST, next),
        };
      }
      if (!tenant) throw new AppError("tenant_required");
      return {
        tenants: [toTenantSummary(ctx, tenant)].filter(
          ({ region }) => !query.region || region === query.region,
        ),
        next_cursor: null,
      };
    },
  },
});
