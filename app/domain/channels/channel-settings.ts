// What a channel of a store lacks, to show the merchant what is missing.
// tests/domain/channels/delivery-health.test.ts compares it with `isEnabled`.
import type { Channel } from "../bus/channel.ts";
import { isConnected } from "../tenants/store-access.ts";
import type { TenantFieldName } from "../tenants/tenant-config.ts";
import type { Tenant } from "../tenants/tenant.ts";

/**
 * `left_out`: configured, but not in the store's destination list; `store_connection`: the app has
 * no access.
 */
export type Missing = TenantFieldName | "left_out" | "store_connection";

export function findMissing(tenant: Tenant, channel: Channel): Missing[] {
  const fields = channel.needs.filter((name) => !tenant.config[name]);
  if (fields.length > 0) return fields;
  if (channel.needsStoreAccess && !isConnected(tenant)) return ["store_connection"];
  const isListed = tenant.config.enabled_channels?.includes(channel.name) ?? true;
  // The list decides about destinations of events only.
  return channel.isDestination && !channel.isInternal && !isListed ? ["left_out"] : [];
}
