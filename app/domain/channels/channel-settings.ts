// The settings that a channel requires, to show the merchant what is missing.
// tests/domain/channels/channel-cards.test.ts compares them with `isEnabled`.
import { tokenState } from "../tenants/directory.ts";
import type { TenantFieldName } from "../tenants/tenant-config.ts";
import type { Tenant } from "../tenants/tenant.ts";

const NEEDS: Record<string, readonly TenantFieldName[]> = {
  cms: ["cms_api_token", "cms_customers_collection_id"],
  web_analytics: ["analytics_measurement_id", "analytics_api_secret"],
  profile_platform: ["profile_platform_enabled", "profile_platform_url"],
  email: ["email_from", "email_api_key"],
  erpsys: ["erp_base_url"],
  erp_generic: ["erp_base_url"],
  retail_analytics_a: ["retail_analytics_a_url"],
  retail_analytics_b: ["retail_analytics_b_url"],
};

/**
 * `left_out`: configured, but not in the store's destination list; `store_connection`: the app has
 * no access.
 */
export type Missing = TenantFieldName | "left_out" | "store_connection";

/** The settings without which the channel delivers nothing. */
export const neededSettings = (channel: string): readonly TenantFieldName[] => NEEDS[channel] ?? [];

export function findMissing(tenant: Tenant, channel: string): Missing[] {
  if (channel === "storefront") return tokenState(tenant) === "valid" ? [] : ["store_connection"];
  const fields = neededSettings(channel).filter((name) => !tenant.config[name]);
  const isListed = tenant.config.enabled_channels?.includes(channel) ?? true;
  const isListedAnyway = channel === "email" || NEEDS[channel] === undefined;
  return fields.length === 0 && !isListed && !isListedAnyway ? ["left_out"] : fields;
}
