// The list of registered tenants, for operators.
import type { Ctx } from "../../context.server.ts";
import { HOME_REGION } from "../../runtime/settings.ts";
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

/** Those of `hosts` that other stores list as theirs. */
export async function findHostsOfOthers(
  ctx: Ctx,
  shop: string,
  hosts: readonly string[],
): Promise<string[]> {
  if (hosts.length === 0) return [];
  const rows = await ctx.home.acrossTenants<{ host: string }>(
    "SELECT DISTINCT host FROM kv, jsonb_array_elements_text(kv.value->'public_hosts') AS listed(host) WHERE key = 'tenant:' || shop AND kv.value->'public_hosts' ?| $1::text[] AND host = ANY($1) AND shop <> $2 ORDER BY host",
    [hosts, shop],
  );
  return rows.map((row) => row.host);
}
