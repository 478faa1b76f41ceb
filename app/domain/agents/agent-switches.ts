// The merchant's two switches over all agents. Every call looks at the tenant as it is, so they act at once.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { saveTenantConfig } from "../tenants/configuration.ts";
import type { Tenant } from "../tenants/tenant.ts";

export const AgentSwitch = z.object({ name: z.enum(["access", "payments"]), is_on: z.boolean() });

export async function turnAgents(
  ctx: Ctx,
  tenant: Tenant,
  { name, is_on: isOn }: z.output<typeof AgentSwitch>,
): Promise<void> {
  await saveTenantConfig(
    ctx,
    tenant.shop,
    { [name === "access" ? "agent_access_enabled" : "agent_payments_enabled"]: isOn },
    false,
  );
  ctx.log.done("agents.switched", { shop: tenant.shop, name, is_on: isOn });
}
