// Resolves the tenant of a request, in the order of DECISIONS 3: query, header, the session token's
// own, host, the deployed store.
import type { Ctx } from "../../context.server.ts";
import { shopOfAgentToken } from "../../domain/agents/oauth/agent-token.ts";
import { shopOfToken } from "../../domain/identity/session/session-token.ts";
import { shopOfAccountToken } from "../../domain/identity/store-session/account-token.ts";
import { findShopOfHost } from "../../domain/tenants/directory.ts";
import { findTenant, findCachedTenant, type Tenant } from "../../domain/tenants/tenant.ts";
import { SHOP_PATTERN } from "../../domain/tenants/tenant-config.ts";
import { AppError } from "../../runtime/errors.ts";
import { parseJson, type ApiRequest } from "../api-request.ts";

export const SHOP_HEADERS = ["x-storefront-shop-domain", "x-shopify-shop-domain"] as const;

const queriedShops = ({ url }: ApiRequest) =>
  new Set(url.searchParams.getAll("shop").filter(Boolean));

/** Whether the query names the shop, so that no header does. */
export const isShopInQuery = (request: ApiRequest): boolean => queriedShops(request).size > 0;

/** The shop named by the request; null without one, 400 when it is invalid or there are several. */
export function namedShop(request: ApiRequest): string | null {
  const queried = queriedShops(request);
  const header = SHOP_HEADERS.map((name) => request.header(name)).find(
    (value) => value !== undefined,
  );
  if (queried.size > 1)
    throw new AppError("invalid_shop", { message: "The shop is named more than once." });
  const shop = queried.values().next().value ?? header;
  if (shop === undefined || shop === "") return null;
  if (!SHOP_PATTERN.test(shop)) throw new AppError("invalid_shop");
  return shop;
}

async function shopOfHost(ctx: Ctx, request: ApiRequest): Promise<string | null> {
  const asked = request.header("host")?.toLowerCase();
  if (
    !asked ||
    !/^[a-z0-9.-]{1,255}(:\d{1,5})?$/.test(asked) ||
    asked === new URL(ctx.baseUrl).host
  )
    return null;
  return findShopOfHost(ctx, asked);
}

/**
 * The request's shop, registered or not, and its tenant. With a session token the tenant is the
 * cached one: the session's own read checks whether it is current. The same holds with
 * `allowCachedTenant`.
 */
export async function lookUpTenant(
  ctx: Ctx,
  request: ApiRequest,
  sessionToken: string | null,
  allowCachedTenant = sessionToken !== null,
): Promise<{ shop: string | null; tenant: Tenant | null }> {
  const named = namedShop(request);
  const ofToken =
    named === null && sessionToken
      ? (shopOfToken(sessionToken) ??
        shopOfAgentToken(sessionToken) ??
        shopOfAccountToken(sessionToken))
      : null;
  // A token that names an unknown store is invalid: the response must not show which stores are
  // registered.
  if (ofToken && !(await findCachedTenant(ctx, ofToken))) return { shop: null, tenant: null };
  const shop =
    named ??
    ofToken ??
    (await shopOfHost(ctx, request)) ??
    ctx.config.STOREFRONT_STORE_DOMAIN ??
    null;
  if (!shop) return { shop: null, tenant: null };
  return { shop, tenant: await (allowCachedTenant ? findCachedTenant : findTenant)(ctx, shop) };
}

/**
 * The store that a signed body names in one of `shopFields`.
 */
export async function findTenantInBody(
  ctx: Ctx,
  raw: Buffer,
  shopFields: readonly string[],
): Promise<{ shop: string; tenant: Tenant | null } | null> {
  try {
    const body = parseJson(raw).json as Record<string, unknown>;
    const shop = shopFields.map((field) => body[field]).find((value) => typeof value === "string");
    return typeof shop === "string" && SHOP_PATTERN.test(shop)
      ? { shop, tenant: await findTenant(ctx, shop) }
      : null;
  } catch (error) {
    if (error instanceof AppError || error instanceof TypeError) return null;
    throw error;
  }
}
