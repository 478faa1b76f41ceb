// The ERP connection of a store, for both channels that post to it.
import type { Ctx } from "../../../context.server.ts";
import type { ErpAccess } from "../../../integrations/erp.ts";
import {
  PermanentFailure,
  type DeliveryMessage,
  type DeliveryResult,
  type QueueItem,
} from "../../bus/channel.ts";
import { withoutTrailingSlashes } from "../../../runtime/slashes.ts";
import { OWN_FAILURES } from "../../bus/log/own-failures.ts";
import type { Tenant } from "../../tenants/tenant.ts";

/** Throws PermanentFailure when the store has none. */
export function requireErp(
  { shop, config }: Tenant,
  item: Pick<QueueItem, "eventId">,
  system: ErpAccess["system"],
): ErpAccess {
  const { erp_base_url: baseUrl, erp_username: username, erp_password: password } = config;
  if (!baseUrl) throw new PermanentFailure(OWN_FAILURES.fieldNotSet.text("erp_base_url"));
  return { system, baseUrl, username, password, about: { shop, event_id: item.eventId } };
}

export async function probeErp(
  ctx: Ctx,
  tenant: Tenant,
  system: ErpAccess["system"],
): Promise<DeliveryResult> {
  return {
    httpStatus: (await ctx.erp.ping(requireErp(tenant, { eventId: "probe" }, system))).status,
  };
}

/**
 * The path of a message from outside below the store's own address: all of it when the message names a place there,
 * else the last part of what it names, or the address itself. The store's credentials are never sent to another host.
 */
export function pathNamedBy(
  { delivery_config: { endpoint } }: DeliveryMessage,
  { baseUrl }: ErpAccess,
): string {
  const below = pathBelow(baseUrl, endpoint);
  if (below !== null) return below;
  const place = URL.parse(endpoint, "http://erp.invalid")?.pathname.split("/").at(-1) ?? "";
  return /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(place) ? `/${place}` : "";
}

/** Null for a place elsewhere, and for names that need more than letters, digits and _. */
function pathBelow(baseUrl: string, address: string): string | null {
  const [base, named] = [URL.parse(baseUrl), URL.parse(address)];
  if (!base || named?.origin !== base.origin) return null;
  const root = withoutTrailingSlashes(base.pathname);
  if (!named.pathname.startsWith(root)) return null;
  const rest = withoutTrailingSlashes(named.pathname.slice(root.length));
  return /^(\/[A-Za-z_][A-Za-z0-9_]{0,99}){0,8}$/.test(rest) ? rest : null;
}
