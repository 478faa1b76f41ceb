import { z } from "zod";
import { runChangedRules } from "../domain/customers/system-tags/rule-run.ts";
import { saveTenantConfig, showTenantConfig } from "../domain/tenants/settings/configuration.ts";
import { getTenant } from "../domain/tenants/tenant.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "A tenant's configuration: what it saved, and the defaults of the rest; every credential masked.",
    auth: "admin",
    tenant: "registered",
    handle: async ({ ctx, shop }) => ({ shop, config: await showTenantConfig(ctx, shop) }),
  },
  POST: {
    summary:
      "Saves fields of a tenant's configuration and registers the tenant. `null` removes a field.",
    auth: "admin",
    tenant: "named",
    body: z.record(z.string(), z.unknown()),
    async handle({ ctx, shop, body, principal }) {
      const { registered } = await saveTenantConfig(
        ctx,
        shop,
        body,
        principal.kind === "platform_key",
      );
      if ("tag_rules" in body) await runChangedRules(ctx, await getTenant(ctx, shop));
      return { ok: true, shop, registered };
    },
  },
});
