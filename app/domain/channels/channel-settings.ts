// The settings that a channel requires, to show the merchant what is missing.
// tests/domain/channels/channel-cards.test.ts compares them with `isEnabled`.
import { isConnected } from "../tenants/store-access.ts";
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
  flow: ["flow_enabled"],
};

/** Deliver by the app's access to the store. */
const BY_STORE_ACCESS = new Set(["storefront", "flow"]);
/** Not part of the store's list of destinations: their own switch decides. */
const WITHOUT_LIST = new Set(["email", "flow"]);

/**
 * `left_out`: configured, but not in the store's destination list; `store_connection`: the app has
 * no access.
 */
export type Missing = TenantFieldName | "left_out" | "store_connection";

/** The settings without which the channel delivers nothing. */
export const neededSettings = (channel: string): readonly TenantFieldName[] => NEEDS[channel] ?? [];

export function findMissing(tenant: Tenant, channel: string): Missing[] {
  const fields = neededSettings(channel).filter((name) => !tenant.config[name]);
  if (fields.length === 0 && BY_STORE_ACCESS.has(channel) && !isConnected(tenant))
    return ["store_connection"];
  const isListed = tenant.config.enabled_channels?.includes(channel) ?? true;
  const isListedAnyway = WITHOUT_LIST.has(channel) || NEEDS[channel] === undefined;
  return fields.length === 0 && !isListed && !isListedAnyway ? ["left_out"] : fields;
}
