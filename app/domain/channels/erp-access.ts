// How a store's ERP is reached, for both channels that post to it.
import type { Ctx } from "../../context.server.ts";
import type { ErpAccess } from "../../integrations/erp.ts";
import { PermanentFailure, type DeliveryResult, type QueueItem } from "../bus/channel.ts";
import type { Tenant } from "../tenants/tenant.ts";

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

/**
 * PermanentFailure when the store has none. The platform's credentials stand in for a store's own at the platform's own
 * address alone: a store that names another address would be told them.
 */
export function requireErp(
  system: ErpAccess["system"],
  { shop, config, saved }: Tenant,
  item: Pick<QueueItem, "eventId">,
): ErpAccess {
  const { erp_base_url: baseUrl, erp_username: username, erp_password: password } = config;
  if (!baseUrl) throw new PermanentFailure("erp_base_url is not set");
  const credentials =
    saved.erp_base_url === undefined
      ? { username, password }
      : { username: textOf(saved.erp_username), password: textOf(saved.erp_password) };
  return { system, baseUrl, ...credentials, about: { shop, event_id: item.eventId } };
}

export async function probeErp(
  system: ErpAccess["system"],
  ctx: Ctx,
  tenant: Tenant,
): Promise<DeliveryResult> {
  return {
    httpStatus: (await ctx.erp.ping(requireErp(system, tenant, { eventId: "probe" }))).status,
  };
}
