// Discovery documents for agents: public, cacheable, and answered in full or with 304.
import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.server.ts";
import { publicAddressOf, type PublicAddress } from "../../domain/agents/public-address.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import type { ApiRequest } from "../api-request.ts";
import { empty, json, type ApiResponse } from "../api-response.ts";
import { cacheControl } from "../caching/public-request.ts";

const MAX_AGE_SECONDS = 300;

export const addressFor = (ctx: Ctx, request: ApiRequest, tenant: Tenant): PublicAddress =>
  publicAddressOf(ctx.baseUrl, tenant, request.header("host"));

/**
 * The store is part of the cache key as well as of the query: a shared cache must not serve one
 * store's document for another's.
 */
const SHOP_HEADERS = ["X-Storefront-Shop-Domain", "X-Shopify-Shop-Domain"];

const MAX_KNOWN = 2_000;
const firstServed = new LRUCache<string, string>({ max: MAX_KNOWN });

/**
 * Since when this process serves a document, for caches that compare times: its content follows from
 * settings and code, and neither tells when it changed.
 */
function servedSince(etag: string, now: Date): string {
  const known = firstServed.get(etag);
  if (known !== undefined) return known;
  firstServed.set(etag, now.toUTCString());
  return now.toUTCString();
}

/** `varies`: further request headers that the document depends on; `now` adds Last-Modified. */
export function publicDocument(
  request: ApiRequest,
  document: object,
  { varies = [], now }: { varies?: readonly string[]; now?: Date } = {},
): ApiResponse {
  const etag = `"${hash("sha256", JSON.stringify(document), "base64url").slice(0, 27)}"`;
  const headers = {
    ETag: etag,
    "Cache-Control": cacheControl(request, `public, max-age=${MAX_AGE_SECONDS}`),
    ...(now && { "Last-Modified": servedSince(etag, now) }),
    Vary: ["Origin", ...SHOP_HEADERS, ...varies].join(", "),
  };
  const known = (request.header("if-none-match") ?? "")
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*")
    ? empty(304, headers)
    : json(200, document, headers);
}
