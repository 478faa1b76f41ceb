import { z } from "zod";
import { runChangedRules } from "../domain/customers/system-tags/rule-run.ts";
import { actorOf } from "../domain/tenants/admin-key.ts";
import { saveTenantConfig, showTenantConfig } from "../domain/tenants/settings/configuration.ts";
import { fieldsBody } from "../domain/tenants/settings/field-patch.ts";
import { getTenant } from "../domain/tenants/tenant.ts";
import { endpoint } from "../http/endpoint.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "A tenant's configuration: what it saved, and the defaults of the rest; every credential masked.",
    auth: "admin",
    tenant: "registered",
    result: z.object({ shop: z.string(), config: z.record(z.string(), z.unknown()) }),
    handle: async ({ ctx, shop }) => ({ shop, config: await showTenantConfig(ctx, shop) }),
  },
  POST: {
    summary:
      "Saves fields of a tenant's configuration and registers the tenant. `null` removes a field.",
    auth: "admin",
    tenant: "named",
    body: fieldsBody({ brand_name: "Test Store", agent_access_enabled: true }),
    result: Ok.extend({ shop: z.string(), registered: z.boolean() }),
    async handle({ ctx, shop, body, principal }) {
      const { registered } = await saveTenantConfig(ctx, shop, body, { by: actorOf(principal) });
      if ("tag_rules" in body) await runChangedRules(ctx, await getTenant(ctx, shop));
      return { ok: true, shop, registered };
    },
  },
});
