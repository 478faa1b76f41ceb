// The list of registered tenants, for operators.
import type { Ctx } from "../../context.server.ts";
import type { Columns, Kv, PublicHost } from "../../db.server.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { HOME_REGION } from "../../runtime/settings.ts";
import { isSealed, SEALED_PREFIX } from "../../runtime/secrets.ts";
import { normaliseHost } from "./settings/field-schemas.ts";
import { tokenState } from "./store-access.ts";
import { openFields } from "./tenant-record.ts";
import { findTenant, type Tenant } from "./tenant.ts";

/** Which rows of the key-value store are the records of tenants. */
const IS_TENANT = `key = '${KEYS.tenant("")}' || shop`;

export function toTenantSummary(ctx: Ctx, tenant: Tenant) {
  return {
    shop: tenant.shop,
    region: tenant.region,
    access_role: tenant.config.access_role,
    token: {
      state: tokenState(tenant),
      expires_at: tenant.config.storefront_token_expires_at ?? null,
    },
    registered_at: tenant.registeredAt,
    channels: ctx.channels
      .filter((channel) => channel.isEnabled(tenant))
      .map((channel) => channel.name),
  };
}

type TenantPage = {
  region?: string | undefined;
  /** The last name of the previous page. */
  after: string | null;
  /** Null: all of them. */
  limit: number | null;
};

export async function listShops(
  ctx: Ctx,
  { region, after, limit }: Partial<TenantPage> = {},
): Promise<string[]> {
  const rows = await ctx.home.acrossTenants<Columns<Kv, "shop">>(
    `SELECT shop FROM kv WHERE ${IS_TENANT} AND ($1::text IS NULL
      OR coalesce(value->>'region', $2) = $1) AND shop > $3 ORDER BY shop LIMIT $4`,
    [region ?? null, HOME_REGION, after ?? "", limit ?? null],
  );
  return rows.map((row) => row.shop);
}

/** Enough to tell another key from a record that was damaged. */
const RECORDS_READ = 20;

/**
 * Throws when no store's secrets open with this process's key: beside the others it would answer 500 to every store,
 * and seal new secrets with a key that those do not have.
 */
export async function refuseOtherSecretsKey(ctx: Ctx): Promise<void> {
  const records = await ctx.home.acrossTenants<{ shop: string; value: Record<string, unknown> }>(
    `SELECT shop, value FROM kv WHERE ${IS_TENANT} AND value::text LIKE '%"${SEALED_PREFIX}%'
      ORDER BY shop LIMIT ${RECORDS_READ}`,
  );
  let refusal: unknown = null;
  for (const { shop, value } of records) {
    const sealed = Object.keys(value).filter((name) => isSealed(value[name]));
    if (sealed.length === 0) continue;
    try {
      openFields(ctx.secrets, shop, value, sealed);
      return;
    } catch (error) {
      refusal ??= error;
    }
  }
  if (refusal !== null) throw refusal;
}

/** How many stores each region has. */
export async function countStores(ctx: Ctx): Promise<Map<string, number>> {
  const rows = await ctx.home.acrossTenants<{ region: string; stores: number }>(
    `SELECT coalesce(value->>'region', $1) AS region, count(*)::int AS stores FROM kv
      WHERE ${IS_TENANT} GROUP BY 1`,
    [HOME_REGION],
  );
  return new Map(rows.map(({ region, stores }) => [region, stores]));
}

/** The next shops after a name, in order: iterates over all tenants without holding them all. */
export async function listShopsAfter(ctx: Ctx, after: string, limit: number): Promise<string[]> {
  const rows = await ctx.home.acrossTenants<Columns<Kv, "shop">>(
    `SELECT shop FROM kv WHERE ${IS_TENANT} AND shop > $1 ORDER BY shop LIMIT $2`,
    [after, limit],
  );
  return rows.map((row) => row.shop);
}

/** Sorted by name; `next` is the cursor of the next page. */
export async function listTenants(ctx: Ctx, { region, after, limit }: TenantPage) {
  const shops = await listShops(ctx, { region, after, limit: limit === null ? null : limit + 1 });
  const page = limit === null ? shops : shops.slice(0, limit);
  const tenants = await Promise.all(page.map((shop) => findTenant(ctx, shop)));
  // A store may have been deleted meanwhile.
  return {
    tenants: tenants
      .filter((tenant) => tenant !== null)
      .map((tenant) => toTenantSummary(ctx, tenant)),
    next: shops.length > page.length ? (page.at(-1) ?? null) : null,
  };
}

/** The store that has proven the request's host, in any spelling; null when there is none. */
export async function findShopOfHost(ctx: Ctx, host: string): Promise<string | null> {
  const [row] = await ctx.home.acrossTenants<Columns<PublicHost, "shop">>(
    "SELECT shop FROM public_hosts WHERE host = $1 AND proof IS NOT NULL",
    [normaliseHost(host)],
    "shop_of_host",
  );
  return row?.shop ?? null;
}
