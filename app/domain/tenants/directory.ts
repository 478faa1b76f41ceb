// The list of registered tenants, for operators.
import type { Ctx } from "../../context.server.ts";
import { HOME_REGION } from "../../runtime/settings.ts";
import { normaliseHost } from "./field-schemas.ts";
import { findTenant, type Tenant } from "./tenant.ts";

/** `none`: never installed; `reauth_required`: only a new install helps. */
export function tokenState(tenant: Tenant): "none" | "valid" | "reauth_required" {
  if (tenant.connection.token_state === "reauth_required") return "reauth_required";
  return tenant.config.storefront_admin_token ? "valid" : "none";
}

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
  /** The name a former page ended at. */ after: string | null;
  /** Null: all of them. */ limit: number | null;
};

export async function listShops(
  ctx: Ctx,
  { region, after, limit }: Partial<TenantPage> = {},
): Promise<string[]> {
  const rows = await ctx.home.acrossTenants<{ shop: string }>(
    "SELECT shop FROM kv WHERE key = 'tenant:' || shop AND ($1::text IS NULL OR coalesce(value->>'region', $2) = $1) AND shop > $3 ORDER BY shop LIMIT $4",
    [region ?? null, HOME_REGION, after ?? "", limit ?? null],
  );
  return rows.map((row) => row.shop);
}

/** The next shops after a name, in order: a walk over all tenants that never holds them all. */
export async function listShopsAfter(ctx: Ctx, after: string, limit: number): Promise<string[]> {
  const rows = await ctx.home.acrossTenants<{ shop: string }>(
    "SELECT shop FROM kv WHERE key = 'tenant:' || shop AND shop > $1 ORDER BY shop LIMIT $2",
    [after, limit],
  );
  return rows.map((row) => row.shop);
}

/** In the order of their names; `next` is the name the following page begins after. */
export async function listTenants(ctx: Ctx, { region, after, limit }: TenantPage) {
  const shops = await listShops(ctx, { region, after, limit: limit === null ? null : limit + 1 });
  const page = limit === null ? shops : shops.slice(0, limit);
  const tenants = await Promise.all(page.map((shop) => findTenant(ctx, shop)));
  // One may have gone meanwhile.
  return {
    tenants: tenants
      .filter((tenant) => tenant !== null)
      .map((tenant) => toTenantSummary(ctx, tenant)),
    next: shops.length > page.length ? (page.at(-1) ?? null) : null,
  };
}

/** The store that has proven the host of a request, however it is spelled; null when none has. */
export async function findShopOfHost(ctx: Ctx, host: string): Promise<string | null> {
  const [row] = await ctx.home.acrossTenants<{ shop: string }>(
    "SELECT shop FROM public_hosts WHERE host = $1 AND proof IS NOT NULL",
    [normaliseHost(host)],
    "shop_of_host",
  );
  return row?.shop ?? null;
}
