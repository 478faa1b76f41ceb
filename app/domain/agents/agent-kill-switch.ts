// The merchant's two switches for all agents. Every call reads the current tenant, so they take
// effect at once.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { saveTenantConfig } from "../tenants/settings/configuration.ts";
import type { Tenant } from "../tenants/tenant.ts";

export const AgentSwitch = z.object({ name: z.enum(["access", "payments"]), is_on: z.boolean() });

export async function setAgentAccess(
  ctx: Ctx,
  tenant: Tenant,
  { name, is_on: isOn }: z.output<typeof AgentSwitch>,
): Promise<void> {
  await saveTenantConfig(
    ctx,
    tenant.shop,
    { [name === "access" ? "agent_access_enabled" : "agent_payments_enabled"]: isOn },
    { by: "store" },
  );
  ctx.log.info("agents.switched", { shop: tenant.shop, name, is_on: isOn });
}
