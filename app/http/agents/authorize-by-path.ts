// The authorization page at the address that has the store in its path: MCP clients break one with a query.
import type { Ctx } from "../../context.server.ts";
import { toAuthorizePage } from "../../domain/agents/oauth/metadata.ts";
import { SHOP_PATTERN } from "../../domain/tenants/tenant-config.ts";
import { getTenant, type Tenant } from "../../domain/tenants/tenant.ts";
import { AppError } from "../../runtime/errors.ts";
import type { ApiRequest } from "../api-request.ts";

/**
 * The request as the page with the store in its query gets it; that page's form goes there. Throws
 * `unknown_tenant`.
 */
export async function toPageRequest(
  ctx: Ctx,
  request: ApiRequest,
  shop = "",
): Promise<{ request: ApiRequest; tenant: Tenant }> {
  if (!SHOP_PATTERN.test(shop)) throw new AppError("unknown_tenant");
  const url = new URL(toAuthorizePage(shop, request.url.searchParams), request.url);
  return { request: { ...request, url }, tenant: await getTenant(ctx, shop) };
}
