// Discovery documents for agents: public, cacheable, and answered in full or with 304.
import { hash } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import { publicAddressOf, type PublicAddress } from "../../domain/agents/public-address.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import type { ApiRequest } from "../api-request.ts";
import { empty, json, type ApiResponse } from "../api-response.ts";

const MAX_AGE_SECONDS = 300;

export const addressFor = (ctx: Ctx, request: ApiRequest, tenant: Tenant): PublicAddress =>
  publicAddressOf(ctx.baseUrl, tenant, request.header("host"));

/**
 * The store is part of the cache key as well as of the query: a shared cache must not serve one
 * store's document for another's.
 */
const SHOP_HEADERS = ["X-Storefront-Shop-Domain", "X-Shopify-Shop-Domain"];

/** `varies`: further request headers that the document depends on. */
export function publicDocument(
  request: ApiRequest,
  document: object,
  varies: readonly string[] = [],
): ApiResponse {
  const etag = `"${hash("sha256", JSON.stringify(document), "base64url").slice(0, 27)}"`;
  const headers = {
    ETag: etag,
    "Cache-Control": `public, max-age=${MAX_AGE_SECONDS}`,
    Vary: ["Origin", ...SHOP_HEADERS, ...varies].join(", "),
  };
  const known = (request.header("if-none-match") ?? "")
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*")
    ? empty(304, headers)
    : json(200, document, headers);
}
