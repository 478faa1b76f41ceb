// A tenant as the rest of the code sees it: one read of the key-value store joins its saved record with the platform's
// saved settings and the deployed ones (saved values win). The parsed form is remembered by the versions it came from.
import type { Ctx } from "../../context.server.ts";
import { PLATFORM, type Row } from "../../runtime/database.ts";
import { AppError } from "../../runtime/errors.ts";
import { KEYS } from "../../runtime/kv.ts";
import { isSealed, type Secrets } from "../../runtime/secrets.ts";
import type { Config } from "../../runtime/config.ts";
import { isErpField, PLATFORM_FIELDS, TENANT_FIELDS, tenantField, tenantFieldNames, type PlatformConfig, type TenantConfig } from "./tenant-config.ts";

export const HOME_REGION = "default";

/** What the service itself keeps in the tenant record, beside the fields a merchant may set. */
export type Connection = {
  /** Counts grants: whoever stores a token names the one it replaces. */
  token_generation?: number;
  /** `reauth_required`: the platform refused the refresh token and only a new install helps. */
  token_state?: "valid" | "reauth_required";
  /** Sealed; kept until the token that replaced it has worked. */
  previous_refresh_token?: string;
  /** Of the refresh token in force, where the platform said it. */
  refresh_token_expires_at?: string;
  granted_scopes?: string[];
  installed_at?: string;
  uninstalled_at?: string;
};

export type TenantRecord = Record<string, unknown> & { registered_at: string; connection?: Connection };

export type Tenant = {
  shop: string;
  /** Of the stored records this was built from. */
  version: { tenant: number; platform: number };
  region: string;
  registeredAt: string;
  config: TenantConfig;
  /** The fields this tenant saved itself, in the clear. */
  saved: Record<string, unknown>;
  connection: Connection;
  /** App credentials in force: the first secret signs, all verify. */
  app: { clientId: string; secrets: string[] };
};

type Platform = { saved: PlatformConfig; version: number };
type Cached = { tenantVersion: number; platformVersion: number; tenant: Tenant };

const CACHE_LIMIT = 5_000;
const caches = new WeakMap<Ctx, Map<string, Cached>>();

export async function findTenant(ctx: Ctx, shop: string): Promise<Tenant | null> {
  const rows = await ctx.home.acrossTenants<{ shop: string; value: TenantRecord; version: number } & Row>(
    "SELECT shop, value, version FROM kv WHERE (shop = $1 AND key = $2) OR (shop = $3 AND key = $4)",
    [shop, KEYS.tenant(shop), PLATFORM, KEYS.platform],
  );
  const record = rows.find((row) => row.shop === shop);
  if (!record) return null;
  const platformRow = rows.find((row) => row.shop === PLATFORM);

  const cache = caches.get(ctx) ?? new Map<string, Cached>();
  caches.set(ctx, cache);
  const kept = cache.get(shop);
  if (kept && kept.tenantVersion === record.version && kept.platformVersion === (platformRow?.version ?? 0)) return kept.tenant;

  const platform: Platform = { saved: openFields(ctx.secrets, PLATFORM, platformRow?.value ?? {}, Object.keys(PLATFORM_FIELDS)), version: platformRow?.version ?? 0 };
  const tenant = buildTenant(ctx, shop, record.value, platform.saved, { tenant: record.version, platform: platform.version });
  if (cache.size >= CACHE_LIMIT) cache.clear();
  cache.set(shop, { tenantVersion: record.version, platformVersion: platform.version, tenant });
  return tenant;
}

export async function getTenant(ctx: Ctx, shop: string): Promise<Tenant> {
  const tenant = await findTenant(ctx, shop);
  if (!tenant) throw new AppError("unknown_tenant");
  return tenant;
}

/** The tenant as this process last saw it, without asking; whoever uses it must find out whether it `isCurrent`. */
export async function recallTenant(ctx: Ctx, shop: string): Promise<Tenant | null> {
  return caches.get(ctx)?.get(shop)?.tenant ?? findTenant(ctx, shop);
}

export async function isCurrent(ctx: Ctx, tenant: Tenant): Promise<boolean> {
  return (await findTenant(ctx, tenant.shop)) === tenant;
}

/** The database that holds this tenant's rows. */
export function dataOf(ctx: Ctx, tenant: Pick<Tenant, "shop" | "region">) {
  return ctx.regions.get(tenant.region).forTenant(tenant.shop);
}

function buildTenant(ctx: Ctx, shop: string, record: TenantRecord, platform: PlatformConfig, version: Tenant["version"]): Tenant {
  const saved = openFields(ctx.secrets, shop, record, tenantFieldNames);
  const config: Record<string, unknown> = { ...staticFields(ctx.config, shop), ...shared(platform), ...saved };
  for (const name of tenantFieldNames) {
    if (config[name] !== undefined) continue;
    const fallback = TENANT_FIELDS[name].schema.safeParse(undefined);
    if (fallback.success && fallback.data !== undefined) config[name] = fallback.data;
  }
  if (config.access_role === "shared") for (const name of tenantFieldNames.filter(isErpField)) delete config[name];
  const appSecrets = [saved.storefront_app_secret, platform.platform_app_secret, ...(ctx.config.PLATFORM_APP_SECRET ?? [])];
  return {
    shop,
    version,
    region: (saved.region as string | undefined) ?? HOME_REGION,
    registeredAt: record.registered_at,
    config: config as TenantConfig,
    saved,
    connection: record.connection ?? {},
    app: {
      clientId: platform.platform_client_id ?? ctx.config.PLATFORM_CLIENT_ID,
      secrets: appSecrets.filter((secret): secret is string => typeof secret === "string"),
    },
  };
}

/** Platform fields that stand in for a tenant field of the same name. */
function shared(platform: PlatformConfig): Record<string, unknown> {
  return Object.fromEntries(Object.entries(platform).filter(([name, value]) => Object.hasOwn(TENANT_FIELDS, name) && value !== undefined));
}

// The deployed settings of one store must not become another's: with STOREFRONT_STORE_DOMAIN set they are that store's alone.
function staticFields(config: Config, shop: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const ownStore = config.STOREFRONT_STORE_DOMAIN;
  for (const name of tenantFieldNames) {
    const setting = tenantField(name).staticFrom;
    if (!setting || config[setting] === undefined) continue;
    const isShared = name === "federated_issuer" || name === "email_from" || name === "email_api_key";
    if (isShared || ownStore === shop || (ownStore === undefined && name !== "storefront_admin_token")) fields[name] = config[setting];
  }
  return fields;
}

/** The named fields of a stored record, sealed ones opened. */
export function openFields(secrets: Secrets, place: string, record: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const open: Record<string, unknown> = {};
  for (const name of names) {
    const value = record[name];
    if (value !== undefined) open[name] = isSealed(value) ? secrets.unseal(`${place}/${name}`, value) : value;
  }
  return open;
}
