// Documents that agents read before they know us: public, cacheable, and answered in full or with 304.
import { hash } from "node:crypto";
import type { Ctx } from "../context.server.ts";
import { publicAddressOf, type PublicAddress } from "../domain/agents/public-address.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import type { Inbound } from "./inbound.ts";
import { empty, json, type Reply } from "./reply.ts";

const MAX_AGE_SECONDS = 300;

export const addressFor = (ctx: Ctx, inbound: Inbound, tenant: Tenant): PublicAddress =>
  publicAddressOf(ctx.baseUrl, tenant, inbound.header("host"));

/** They name the store as well as the query does: a shared cache must not give one store's document for another's. */
const SHOP_HEADERS = ["X-Storefront-Shop-Domain", "X-Shopify-Shop-Domain"];

/** `varies` names further request headers that the document depends on. */
export function publicDocument(
  inbound: Inbound,
  document: object,
  varies: readonly string[] = [],
): Reply {
  const etag = `"${hash("sha256", JSON.stringify(document), "base64url").slice(0, 27)}"`;
  const headers = {
    ETag: etag,
    "Cache-Control": `public, max-age=${MAX_AGE_SECONDS}`,
    Vary: ["Origin", ...SHOP_HEADERS, ...varies].join(", "),
  };
  const known = (inbound.header("if-none-match") ?? "")
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*")
    ? empty(304, headers)
    : json(200, document, headers);
}
