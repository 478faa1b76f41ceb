// The response of an embed: public, cacheable, framed by the store's own pages only, and limited by
// its CSP to our own scripts. Hashes instead of nonces: caches store the same bytes and revalidate
// with 304.
import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.server.ts";
import { allowedOrigins } from "../../domain/tenants/allowed-origins.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { toPublicConfig, type PublicConfig } from "../../embeds/public-config.ts";
import type { ProxiedRequest } from "../auth/app-proxy.ts";
import type { ApiRequest } from "../api-request.ts";
import { empty, plain, type ApiResponse } from "../api-response.ts";
import { cacheControl } from "../caching/public-request.ts";

const CACHE = "public, max-age=300, stale-while-revalidate=86400";
const VARY = "Accept-Encoding, Origin, X-Storefront-Shop-Domain, X-Shopify-Shop-Domain";

/** A request for a page or script of the store, directly or through the app proxy. */
export type EmbedCall = {
  ctx: Ctx;
  request: ApiRequest;
  tenant: Tenant;
  proxied: ProxiedRequest | null;
};

export function publicConfigFor({ ctx, request, tenant, proxied }: EmbedCall): PublicConfig {
  return toPublicConfig(tenant, {
    locale: request.url.searchParams.get("locale"),
    pathPrefix: proxied?.pathPrefix ?? null,
    serviceUrl: new URL(ctx.baseUrl).origin,
    federatedIssuer: ctx.config.FEDERATED_ISSUER,
  });
}

/** The store's origins; `'self'` is its own domain when the page came through the app proxy. */
const frameAncestors = (ctx: Ctx, tenant: Tenant): string =>
  ["'self'", ...allowedOrigins(ctx, tenant)].join(" ");

/**
 * The headers of an embedded page. Its inline scripts and styles are allowed by their hashes.
 * `extra`: further sources per directive, such as the analytics product's.
 */
export function embedPageHeaders(
  ctx: Ctx,
  tenant: Tenant,
  html: string,
  extra: Record<string, readonly string[]> = {},
): Record<string, string> {
  const hashes = (tag: "script" | "style") =>
    html
      .split(`<${tag}>`)
      .slice(1)
      .map((part) => part.split(`</${tag}>`, 1)[0] as string)
      .map((text) => `'sha256-${hash("sha256", text, "base64")}'`);
  const service = new URL(ctx.baseUrl).origin;
  const directives: Record<string, readonly string[]> = {
    "default-src": ["'none'"],
    "script-src": ["'self'", service, ...hashes("script")],
    "style-src": hashes("style").length > 0 ? hashes("style") : ["'none'"],
    "img-src": ["'self'", "https:", "data:"],
    "connect-src": ["'self'", service],
    "form-action": ["'self'", service],
    "base-uri": ["'none'"],
    "frame-ancestors": [frameAncestors(ctx, tenant)],
  };
  const policy = Object.entries(directives).map(([name, sources]) =>
    [name, ...new Set([...sources, ...(extra[name] ?? [])])].join(" "),
  );
  return {
    "Content-Security-Policy": policy.join("; "),
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
  };
}

const GZIP = { level: 9 } as const;
/** Compressed bodies by their ETag: each is compressed once, not per shopper. */
const packed = new LRUCache<string, Buffer, string>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ byteLength }, etag) => byteLength + etag.length,
  memoMethod: (_etag, _stale, { context: body }) => gzipSync(body, GZIP),
});

/**
 * The full body, compressed if accepted, or 304 when the client has it. `isForOne`: a caller's own
 * parameters are in it, so that it is compressed without a place among those of all shoppers.
 */
export function cacheable(
  request: ApiRequest,
  contentType: string,
  body: string,
  headers: Record<string, string> = {},
  { isForOne = false } = {},
): ApiResponse {
  const etag = hash("sha256", body, "base64url").slice(0, 27);
  const isPacked = /(?:^|[\s,])gzip(?!;\s*q=0(?:\.0+)?(?:,|$))/i.test(
    request.header("accept-encoding") ?? "",
  );
  const all = {
    ...headers,
    ETag: isPacked ? `"${etag}-gz"` : `"${etag}"`,
    "Cache-Control": cacheControl(request, CACHE),
    Vary: VARY,
  };
  const known = (request.header("if-none-match") ?? "")
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, "").replace(/-gz"$/, '"'));
  if (known.includes(`"${etag}"`) || known.includes("*")) return empty(304, all);
  return isPacked
    ? {
        ...plain(200, contentType, body, { ...all, "Content-Encoding": "gzip" }),
        // Compresses only the text that the ETag was made of: a later step may have changed it.
        encode: (text) =>
          text === body && !isForOne ? packed.memo(etag, { context: body }) : gzipSync(text, GZIP),
      }
    : plain(200, contentType, body, all);
}

/**
 * The hosts of the web analytics tag (developers.google.com "Tag Platform", Content Security
 * Policy).
 */
const ANALYTICS_SOURCES = {
  "script-src": ["https://*.googletagmanager.com"],
  "connect-src": [
    "https://*.google-analytics.com",
    "https://*.analytics.google.com",
    "https://*.googletagmanager.com",
  ],
};

/** A page with public configuration only. */
export function embedPage(call: EmbedCall, render: (config: PublicConfig) => string): ApiResponse {
  const { ctx, request, tenant } = call;
  const config = publicConfigFor(call);
  const html = render(config);
  return cacheable(
    request,
    "text/html; charset=utf-8",
    html,
    embedPageHeaders(ctx, tenant, html, config.measurementId ? ANALYTICS_SOURCES : {}),
  );
}
