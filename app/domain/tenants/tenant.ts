// A tenant in code, and how it is found. `tenant-cache.ts` reads and remembers it, `build-tenant.ts`
// makes it of its stored record.
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { PLATFORM } from "../../runtime/database/database.ts";
import { KEYS, PLATFORM_KEYS } from "../../runtime/database/kv-keys.ts";
import { HOME_REGION } from "../../runtime/settings.ts";
import { buildApp } from "./build-tenant.ts";
import {
  findDefaultApp,
  findRememberedTenant,
  readFromOtherCell,
  readTenant,
} from "./tenant-cache.ts";
import type { TenantConfig } from "./tenant-config.ts";

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
  /** The generation of a token that the platform refuses although it has not run out, also after a refresh. */
  refused_generation?: number;
  /** Encrypted; kept until the token that replaced it has worked. */
  previous_refresh_token?: string;
  /** Expiry of the current refresh token, if the platform sent it. */
  refresh_token_expires_at?: string;
  granted_scopes?: string[];
  /** The time of that state, where a change of the scopes was the last news of them. */
  granted_scopes_at?: string;
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
  /** SHA-256 of the metafield with what waits for consent, as last written; it ends with the installation. */
  held_metafield?: string;
  /** The store's web pixel, and SHA-256 of its settings as last written; it ends with the installation. */
  web_pixel?: { id: string; settings: string };
  /** Counts the keys of the web pixel; 1 without it. */
  pixel_key_version?: number;
  /** The published version of the store's own banner. */
  banner_version?: number;
  /** Kept until an answer contains these parts again. */
  withheld_data?: { /** ISO 8601. */ since: string; parts: WithheldPart[] };
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

/** Null: no such store. */
export function findTenant(ctx: Ctx, shop: string): Promise<Tenant | null> {
  const remembered = findRememberedTenant(ctx, shop);
  return remembered && remembered.region !== HOME_REGION
    ? readFromOtherCell(ctx, remembered)
    : readTenant(ctx, shop);
}

export async function getTenant(ctx: Ctx, shop: string): Promise<Tenant> {
  const tenant = await findTenant(ctx, shop);
  if (!tenant) throw new AppError("unknown_tenant");
  return tenant;
}

/** The cached tenant without a look-up; the caller must check that it `isCurrent`. */
export async function findCachedTenant(ctx: Ctx, shop: string): Promise<Tenant | null> {
  return findRememberedTenant(ctx, shop) ?? findTenant(ctx, shop);
}

/**
 * A subquery of the shops whose records still have the given versions: a statement checks with it whether
 * the tenants that it was given are current. Only in the home region, where the records are; elsewhere the
 * caller has checked. Takes the names of three parameters: shops, versions, and the platform's version
 * that each tenant was built with.
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
    AND kv.key = '${KEYS.tenant("")}' || wanted.shop AND kv.version = wanted.version
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

/**
 * The store's app; for null, the app that an unregistered store will have, after `findTenant`
 * returned null.
 */
export const appOf = (ctx: Ctx, tenant: Tenant | null): Tenant["app"] =>
  tenant?.app ?? findDefaultApp(ctx) ?? buildApp(ctx, {});
