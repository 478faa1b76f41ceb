import { z } from "zod";
import { listTenants, toTenantSummary } from "../domain/tenants/directory.ts";
import { endpoint } from "../http/endpoint.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The registered tenants. A tenant's own key sees itself.",
    auth: "admin",
    tenant: "optional",
    query: z.object({ region: z.string().max(40).optional() }),
    async handle({ ctx, tenant, principal, query }) {
      if (principal.kind === "platform_key") return { tenants: await listTenants(ctx, query.region) };
      if (!tenant) throw new AppError("tenant_required");
      return { tenants: [toTenantSummary(ctx, tenant)].filter(({ region }) => !query.region || region === query.region) };
    },
  },
});
