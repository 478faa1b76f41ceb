// The parsed form of a tenant: its saved record, the platform's saved settings and the deployed ones
// in one configuration. Saved values win.
import type { Ctx } from "../../context.server.ts";
import { MIN_SECRET_LENGTH } from "../../runtime/setting-schemas.ts";
import { withLentSettings } from "./settings/lent-settings.ts";
import type { PlatformConfig } from "./settings/platform-config.ts";
import {
  defaultFields,
  isErpField,
  tenantField,
  tenantFieldNames,
  type TenantConfig,
  type TenantFieldName,
} from "./tenant-config.ts";
import { openFields, type TenantRecord } from "./tenant-record.ts";
import type { Tenant } from "./tenant.ts";

const DEFAULTS = defaultFields();

export function buildTenant(
  ctx: Ctx,
  shop: string,
  record: TenantRecord,
  platform: PlatformConfig,
  version: Tenant["version"],
): Tenant {
  const saved = openFields(ctx.secrets, shop, record, tenantFieldNames);
  const lent = withLentSettings(saved, { shop, config: ctx.config, platform });
  const config: Record<string, unknown> = { ...DEFAULTS, ...lent };
  for (const name of tenantFieldNames) if (isTooShort(name, config[name])) delete config[name];
  if (config.access_role === "shared")
    for (const name of tenantFieldNames.filter(isErpField)) delete config[name];
  return {
    shop,
    version,
    region: config.region as string,
    registeredAt: record.registered_at,
    config: config as TenantConfig,
    saved,
    connection: record.connection ?? {},
    publicHosts: record.connection?.proven_hosts ?? [],
    app: buildApp(ctx, platform, config.storefront_app_secret),
  };
}

/** An inbound secret that was saved before the minimum length existed; it is ignored. */
const isTooShort = (name: TenantFieldName, value: unknown): boolean =>
  tenantField(name).isInbound === true &&
  typeof value === "string" &&
  value.length < MIN_SECRET_LENGTH;

export function buildApp(ctx: Ctx, platform: PlatformConfig, ownSecret?: unknown): Tenant["app"] {
  const secrets = [
    ownSecret,
    platform.platform_app_secret,
    ...(ctx.config.PLATFORM_APP_SECRET ?? []),
  ];
  return {
    clientId: platform.platform_client_id ?? ctx.config.PLATFORM_CLIENT_ID,
    secrets: secrets.filter((secret): secret is string => typeof secret === "string"),
  };
}
