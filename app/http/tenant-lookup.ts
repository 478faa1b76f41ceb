// Which tenant a request is for, in the order of DECISIONS 3: query, header, the session token's own, host, the deployed
// store.
import type { Ctx } from "../context.server.ts";
import { shopOfAgentToken } from "../domain/agents/agent-token.ts";
import { shopOfToken } from "../domain/identity/session-token.ts";
import { findShopOfHost } from "../domain/tenants/directory.ts";
import { findTenant, recallTenant, type Tenant } from "../domain/tenants/tenant.ts";
import { SHOP_PATTERN } from "../domain/tenants/tenant-config.ts";
import { AppError } from "../runtime/errors.ts";
import type { Auth } from "./guards.ts";
import { parseJson, type Inbound } from "./inbound.ts";

const SHOP_HEADERS = ["x-storefront-shop-domain", "x-shopify-shop-domain"] as const;

/** The shop a request names itself; null when it names none, 400 when what it names is no shop or more than one. */
export function namedShop(inbound: Inbound): string | null {
  const queried = new Set(inbound.url.searchParams.getAll("shop").filter(Boolean));
  const header = SHOP_HEADERS.map((name) => inbound.header(name)).find(
    (value) => value !== undefined,
  );
  if (queried.size > 1)
    throw new AppError("invalid_shop", { message: "The shop is named more than once." });
  const shop = queried.values().next().value ?? header;
  if (shop === undefined || shop === "") return null;
  if (!SHOP_PATTERN.test(shop)) throw new AppError("invalid_shop");
  return shop;
}

async function shopOfHost(ctx: Ctx, inbound: Inbound): Promise<string | null> {
  const asked = inbound.header("host")?.toLowerCase();
  if (
    !asked ||
    !/^[a-z0-9.-]{1,255}(:\d{1,5})?$/.test(asked) ||
    asked === new URL(ctx.baseUrl).host
  )
    return null;
  return findShopOfHost(ctx, asked);
}

/**
 * The shop a request is for, registered or not, and its tenant. With a session token the tenant is the one that this
 * process remembers: the session's own read finds out whether it is still current. So it is with `mayRecall`.
 */
export async function lookUpTenant(
  ctx: Ctx,
  inbound: Inbound,
  sessionToken: string | null,
  mayRecall = sessionToken !== null,
): Promise<{ shop: string | null; tenant: Tenant | null }> {
  const named = namedShop(inbound);
  const ofToken =
    named === null && sessionToken
      ? (shopOfToken(sessionToken) ?? shopOfAgentToken(sessionToken))
      : null;
  // A token that names a store we do not know is no token of ours: it is not told which stores we know.
  if (ofToken && !(await recallTenant(ctx, ofToken))) return { shop: null, tenant: null };
  const shop =
    named ??
    ofToken ??
    (await shopOfHost(ctx, inbound)) ??
    ctx.config.STOREFRONT_STORE_DOMAIN ??
    null;
  if (!shop) return { shop: null, tenant: null };
  return { shop, tenant: await (mayRecall ? recallTenant : findTenant)(ctx, shop) };
}

/** Where a body that proves itself names its store: what the storefront sends, and an event's envelope. */
const SHOP_FIELDS: Partial<Record<Auth, readonly string[]>> = {
  hmac: ["myshopify_domain", "shop_domain"],
  event_source: ["tenant_shop"],
};

/** The store that the body names, for a request that names none itself. */
export async function findTenantInBody(
  ctx: Ctx,
  inbound: Inbound,
  raw: Buffer,
  proof: Auth,
): Promise<{ shop: string; tenant: Tenant | null } | null> {
  const fields = SHOP_FIELDS[proof];
  if (!fields || namedShop(inbound) !== null) return null;
  try {
    const body = parseJson(raw).json as Record<string, unknown>;
    const shop = fields.map((field) => body[field]).find((value) => typeof value === "string");
    return typeof shop === "string" && SHOP_PATTERN.test(shop)
      ? { shop, tenant: await findTenant(ctx, shop) }
      : null;
  } catch (error) {
    if (error instanceof AppError || error instanceof TypeError) return null;
    throw error;
  }
}
