// The ERP connection of a store, for both channels that post to it.
import type { Ctx } from "../../../context.server.ts";
import type { ErpAccess } from "../../../integrations/erp.ts";
import {
  PermanentFailure,
  type DeliveryMessage,
  type DeliveryResult,
  type QueueItem,
} from "../../bus/channel.ts";
import { OWN_FAILURES } from "../../bus/log/own-failures.ts";
import type { Tenant } from "../../tenants/tenant.ts";

/** Throws PermanentFailure when the store has none. */
export function requireErp(
  system: ErpAccess["system"],
  { shop, config }: Tenant,
  item: Pick<QueueItem, "eventId">,
): ErpAccess {
  const { erp_base_url: baseUrl, erp_username: username, erp_password: password } = config;
  if (!baseUrl) throw new PermanentFailure(OWN_FAILURES.fieldNotSet.text("erp_base_url"));
  return { system, baseUrl, username, password, about: { shop, event_id: item.eventId } };
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

/**
 * The path of a message from outside below the store's own address: the last part of what it names,
 * or the address itself. The store's credentials are never sent to another host.
 */
export function pathNamedBy({ delivery_config: { endpoint } }: DeliveryMessage): string {
  const place = URL.parse(endpoint, "http://erp.invalid")?.pathname.split("/").at(-1) ?? "";
  return /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(place) ? `/${place}` : "";
}
