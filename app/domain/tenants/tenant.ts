// A tenant in code: one read of the key-value store joins its saved record with the platform's
// saved settings and the deployed ones (saved values win). The parsed form is cached by the
// versions it was built from.
import { setTimeout as pause } from "node:timers/promises";
import type { Ctx } from "../../context.server.ts";
import { PLATFORM, type Columns, type Kv } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { isDatabaseAway } from "../../runtime/database/database.ts";
import { createGroupCommit, type GroupCommit } from "../../runtime/database/group-commit.ts";
import { KEYS, PLATFORM_KEYS } from "../../runtime/database/kv.ts";
import { createPatience, SILENT, type Patience } from "../../runtime/database/patience.ts";
import { isSealed, type Secrets } from "../../runtime/secrets.ts";
import { HOME_REGION, MIN_SECRET_LENGTH } from "../../runtime/settings.ts";
import { withLentSettings } from "./settings/lent-settings.ts";
import { PLATFORM_FIELDS, type PlatformConfig } from "./settings/platform-config.ts";
import {
  defaultFields,
  isErpField,
  tenantField,
  tenantFieldNames,
  type TenantConfig,
  type TenantFieldName,
} from "./tenant-config.ts";

/** A webhook topic that the platform rejected, with its reason. */
export type RefusedWebhook = { topic: string; reason: string };

/** Customer data that the platform withholds: a field, or an object and the field it was asked in. */
export type WithheldPart = { name: string; field: string };

/** The service's own fields in the tenant record, beside the fields a merchant may set. */
export type Connection = {
  /** Counts grants: a token is stored with the generation it replaces. */
  token_generation?: number;
  /** `reauth_required`: the platform rejected the refresh token and only a new install helps. */
  token_state?: "valid" | "reauth_required";
  /** Encrypted; kept until the token that replaced it has worked. */
  previous_refresh_token?: string;
  /** Expiry of the current refresh token, if the platform sent it. */
  refresh_token_expires_at?: string;
  granted_scopes?: string[];
  /** The highest `password_iterations` that was lowered since: accounts may have hashes with it. */
  lowered_password_iterations?: number;
  /** Hosts proven to be the store's own; a copy of `public_hosts`. */
  proven_hosts?: string[];
  installed_at?: string;
  /** Set while the store is uninstalled. */
  uninstalled_at?: string;
  /** The last known uninstall; a new install keeps it. */
  last_uninstalled_at?: string;
  /** The store's number at the platform, as the Admin API names it. */
  shop_number?: string;
  /** The store's currency (ISO 4217), read with the primary domain. */
  currency?: string;
  /** The host of the store's primary domain, and the time of that state. */
  primary_host?: string;
  primary_host_at?: string;
  /** IANA name of the store's own time zone. */
  time_zone?: string;
  /** The topics that the last registration could not subscribe to. */
  refused_webhooks?: RefusedWebhook[];
  /** The loader's metafield as it was last written, in JSON; it ends with the installation. */
  loader_metafield?: string;
  /** SHA-256 of the footer's metafield as it was last written; it ends with the installation. */
  footer_metafield?: string;
  /** The store's web pixel, and SHA-256 of its settings as last written; it ends with the installation. */
  web_pixel?: { id: string; settings: string };
  /** Counts the keys of the web pixel; 1 without it. */
  pixel_key_version?: number;
  /** The published version of the store's own banner. */
  banner_version?: number;
  /** Until an answer holds them again. */
  withheld_data?: { /** ISO 8601. */ since: string; parts: WithheldPart[] };
};

export type TenantRecord = Record<string, unknown> & {
  registered_at: string;
  connection?: Connection;
};

export type Tenant = {
  shop: string;
  /** The versions of the stored records this was built from. */
  version: { tenant: number; platform: number };
  region: string;
  registeredAt: string;
  config: TenantConfig;
  /** The fields this tenant saved itself, decrypted. */
  saved: Record<string, unknown>;
  connection: Connection;
  /** The store's active hosts: listed and proven. */
  publicHosts: string[];
  /** Current app credentials: the first secret signs, all verify. */
  app: { clientId: string; secrets: string[] };
};

type StoredRecord = Columns<Kv, "shop" | "version"> & { value: Record<string, unknown> | null };
type Cached = { tenantVersion: number; platformVersion: number; tenant: Tenant };
type TenantCache = {
  entries: Map<string, Cached>;
  reads: GroupCommit<string, StoredRecord[]>;
  /** Cached stores of other cells do not wait for the home database. */
  isHomeAway: boolean;
  /** How long they wait for it otherwise. */
  patience: Patience;
  /** The app of a store without a record; set by the last look-up of such a store. */
  defaultApp: Tenant["app"] | null;
};

/** Between two reads of a home database that is away. */
const HOME_RETRY_MS = 1_000;
const DEFAULTS = defaultFields();
const CACHE_LIMIT = 5_000;
const caches = new WeakMap<Ctx, TenantCache>();

// Concurrent readers of a tenant share one look-up of the stored versions; a record is transferred
// only when it differs from the cached one.
const READ_RECORDS = `
  SELECT kv.shop, kv.version, CASE WHEN kv.version = wanted.version THEN NULL ELSE kv.value END AS value
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS wanted(shop, key, version)
    JOIN kv ON kv.shop = wanted.shop AND kv.key = wanted.key`;

function cacheOf(ctx: Ctx): TenantCache {
  const cache: TenantCache = caches.get(ctx) ?? {
    entries: new Map(),
    defaultApp: null,
    isHomeAway: false,
    patience: createPatience(),
    reads: createGroupCommit(async (shops) => {
      const wanted = [...new Set(shops)];
      const cached = wanted.map((shop) => cache.entries.get(shop));
      const platformVersion = Math.min(...cached.map((entry) => entry?.platformVersion ?? -1));
      const rows = await ctx.home.acrossTenants<StoredRecord>(
        READ_RECORDS,
        [
          [...wanted, PLATFORM],
          [...wanted.map(KEYS.tenant), PLATFORM_KEYS.config],
          [...cached.map((entry) => entry?.tenantVersion ?? -1), platformVersion],
        ],
        "tenant_records",
      );
      const byShop = new Map(rows.map((row) => [row.shop, row]));
      return shops.map((shop) =>
        [byShop.get(shop), byShop.get(PLATFORM)].filter((row) => row !== undefined),
      );
    }),
  };
  caches.set(ctx, cache);
  return cache;
}

/** Null: no such store. */
export function findTenant(ctx: Ctx, shop: string): Promise<Tenant | null> {
  const cache = cacheOf(ctx);
  const cached = cache.entries.get(shop)?.tenant;
  return cached && cached.region !== HOME_REGION
    ? findElsewhere(ctx, cache, cached)
    : readTenant(ctx, cache, shop);
}

/** A store of another cell is served by what is remembered of it while home is away, and its cell still holds it. */
async function findElsewhere(ctx: Ctx, cache: TenantCache, cached: Tenant): Promise<Tenant | null> {
  const { shop } = cached;
  const remembered = () => cache.entries.get(shop)?.tenant ?? cached;
  if (cache.isHomeAway && !(await hasLeft(ctx, cached))) return remembered();
  const reading = readTenant(ctx, cache, shop);
  try {
    const found = await cache.patience.wait(reading);
    if (found !== SILENT) return found;
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
  }
  void readUntilHomeAnswers(ctx, cache, shop, reading);
  return (await hasLeft(ctx, cached)) ? reading : remembered();
}

/** Home is asked by one read at a time, behind all requests. */
async function readUntilHomeAnswers(
  ctx: Ctx,
  cache: TenantCache,
  shop: string,
  first: Promise<unknown>,
): Promise<void> {
  if (cache.isHomeAway) return;
  cache.isHomeAway = true;
  let reading = first;
  while (await failsAsAway(reading)) {
    await pause(HOME_RETRY_MS, undefined, { ref: false });
    reading = readTenant(ctx, cache, shop);
  }
  cache.isHomeAway = false;
}

const failsAsAway = (reading: Promise<unknown>): Promise<boolean> =>
  reading.then(() => false, isDatabaseAway);

const hasLeft = async (ctx: Ctx, tenant: Tenant): Promise<boolean> =>
  (await dataOf(ctx, tenant).prisma.heldStore.count({ where: { role: "gone" } })) > 0;

async function readTenant(ctx: Ctx, cache: TenantCache, shop: string): Promise<Tenant | null> {
  const { entries } = cache;
  for (;;) {
    const rows = await cache.reads.add(shop);
    const record = rows.find((row) => row.shop === shop);
    const platform = rows.find((row) => row.shop === PLATFORM);
    const readPlatform = (): PlatformConfig =>
      openFields(ctx.secrets, PLATFORM, platform?.value ?? {}, Object.keys(PLATFORM_FIELDS));
    if (!record) {
      entries.delete(shop);
      cache.defaultApp = buildApp(ctx, readPlatform());
      return null;
    }
    const platformVersion = platform?.version ?? 0;
    const entry = entries.get(shop);
    if (
      entry &&
      entry.tenantVersion === record.version &&
      entry.platformVersion === platformVersion
    )
      return entry.tenant;
    // The cached record was dropped meanwhile: read the whole record again.
    if (record.value === null || (platform && platform.value === null)) {
      entries.delete(shop);
      continue;
    }
    const tenant = buildTenant(ctx, shop, record.value as TenantRecord, readPlatform(), {
      tenant: record.version,
      platform: platformVersion,
    });
    if (entries.size >= CACHE_LIMIT) entries.clear();
    entries.set(shop, { tenantVersion: record.version, platformVersion, tenant });
    return tenant;
  }
}

export async function getTenant(ctx: Ctx, shop: string): Promise<Tenant> {
  const tenant = await findTenant(ctx, shop);
  if (!tenant) throw new AppError("unknown_tenant");
  return tenant;
}

/** As this process knew it last, for what is shown while the database is away. */
export const findRememberedTenant = (ctx: Ctx, shop: string): Tenant | null =>
  caches.get(ctx)?.entries.get(shop)?.tenant ?? null;

/** The cached tenant without a look-up; the caller must check that it `isCurrent`. */
export async function findCachedTenant(ctx: Ctx, shop: string): Promise<Tenant | null> {
  return findRememberedTenant(ctx, shop) ?? findTenant(ctx, shop);
}

/**
 * A subquery of the shops whose records still have the given versions, for a statement that checks
 * by itself whether its tenants are current. Records are in the home region; in other regions the
 * caller has checked. Takes the names of three parameters: shops, versions, and the platform's
 * version that each was built with.
 */
export function currentShops(
  region: string,
  shops: string,
  versions: string,
  platforms: string,
): string {
  const wanted = `unnest(${shops}::text[], ${versions}::bigint[], ${platforms}::bigint[]) AS wanted(shop, version, platform)`;
  if (region !== HOME_REGION) return `SELECT wanted.shop FROM ${wanted}`;
  return `SELECT kv.shop FROM ${wanted} JOIN kv ON kv.shop = wanted.shop
    AND kv.key = 'tenant:' || wanted.shop AND kv.version = wanted.version
    WHERE wanted.platform = coalesce((SELECT version FROM kv WHERE shop = '${PLATFORM}'
      AND key = '${PLATFORM_KEYS.config}'), 0)`;
}

/** The parameter values of `currentShops`. */
export function versionValues(tenants: Iterable<Tenant>): [string[], number[], number[]] {
  const distinct = [...new Set(tenants)];
  return [
    distinct.map(({ shop }) => shop),
    distinct.map(({ version }) => version.tenant),
    distinct.map(({ version }) => version.platform),
  ];
}

/** Before a statement with `currentShops` of another region than home. Throws StaleTenantError. */
export async function assertCurrentInRegion(ctx: Ctx, tenant: Tenant): Promise<void> {
  if (tenant.region !== HOME_REGION && !(await isCurrent(ctx, tenant)))
    throw new StaleTenantError();
}

/**
 * The tenant that the work began with was changed meanwhile: nothing was done, and it begins again
 * with the new one.
 */
export class StaleTenantError extends Error {}

/** Works with the tenant as it is, again when it was changed meanwhile. Throws `unknown_tenant`. */
export async function withTenant<T>(
  ctx: Ctx,
  shop: string,
  work: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  for (;;) {
    const tenant = await getTenant(ctx, shop);
    try {
      return await work(tenant);
    } catch (error) {
      if (!(error instanceof StaleTenantError)) throw error;
    }
  }
}

export async function isCurrent(ctx: Ctx, tenant: Tenant): Promise<boolean> {
  return (await findTenant(ctx, tenant.shop)) === tenant;
}

/** The database that holds this tenant's rows. */
export function dataOf(ctx: Ctx, tenant: Pick<Tenant, "shop" | "region">) {
  return ctx.regions.get(tenant.region).forTenant(tenant.shop);
}

function buildTenant(
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

function buildApp(ctx: Ctx, platform: PlatformConfig, ownSecret?: unknown): Tenant["app"] {
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

/**
 * The store's app; for null, the app that an unregistered store will have, after `findTenant`
 * returned null.
 */
export const appOf = (ctx: Ctx, tenant: Tenant | null): Tenant["app"] =>
  tenant?.app ?? cacheOf(ctx).defaultApp ?? buildApp(ctx, {});

/** The named fields of a stored record, sealed ones opened. */
export function openFields(
  secrets: Secrets,
  place: string,
  record: Record<string, unknown>,
  names: readonly string[],
): Record<string, unknown> {
  const open: Record<string, unknown> = {};
  for (const name of names) {
    const value = record[name];
    if (value !== undefined)
      open[name] = isSealed(value) ? secrets.unseal(`${place}/${name}`, value) : value;
  }
  return open;
}
