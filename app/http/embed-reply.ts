// How an embed leaves: public, cacheable, framed by the store's own pages alone, and able to run nothing that was not
// written here. Hashes, not nonces: the same bytes are kept by caches and answered with 304.
import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Ctx } from "../context.server.ts";
import { allowedOrigins } from "../domain/tenants/allowed-origins.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { toPublicConfig, type PublicConfig } from "../embeds/public-config.ts";
import type { ProxiedRequest } from "./app-proxy.ts";
import type { Inbound } from "./inbound.ts";
import { empty, plain, type Reply } from "./reply.ts";

const CACHE = "public, max-age=300, stale-while-revalidate=86400";
const VARY = "Accept-Encoding, Origin, X-Storefront-Shop-Domain, X-Shopify-Shop-Domain";

/** A call for a page or script of the store, by its own address or through the app proxy. */
export type EmbedCall = {
  ctx: Ctx;
  inbound: Inbound;
  tenant: Tenant;
  proxied: ProxiedRequest | null;
};

export function publicConfigFor({ ctx, inbound, tenant, proxied }: EmbedCall): PublicConfig {
  return toPublicConfig(tenant, {
    locale: inbound.url.searchParams.get("locale"),
    pathPrefix: proxied?.pathPrefix ?? null,
    serviceUrl: new URL(ctx.baseUrl).origin,
  });
}

/** The store's origins; `'self'` is its own domain when the page came through the app proxy. */
const frameAncestors = (ctx: Ctx, tenant: Tenant): string =>
  ["'self'", ...allowedOrigins(ctx, tenant)].join(" ");

/**
 * The headers of an embedded page. Its inline scripts and styles are allowed by what they are.
 * `extra` names further sources per directive, such as the analytics product's.
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

const PACKED_LIMIT = 1_000;
/** Compressed bodies by their ETag: each is compressed once, not for every shopper. */
const packed = new Map<string, Buffer>();

function pack(etag: string, body: string): Buffer {
  const bytes = packed.get(etag) ?? gzipSync(body, { level: 9 });
  if (packed.size >= PACKED_LIMIT) packed.clear();
  packed.set(etag, bytes);
  return bytes;
}

/** In full, compressed for who takes it, or 304 when it is what the reader has. */
export function cacheable(
  inbound: Inbound,
  contentType: string,
  body: string,
  headers: Record<string, string> = {},
): Reply {
  const etag = hash("sha256", body, "base64url").slice(0, 27);
  const isPacked = /(?:^|[\s,])gzip(?!;\s*q=0(?:\.0+)?(?:,|$))/i.test(
    inbound.header("accept-encoding") ?? "",
  );
  const all = {
    ...headers,
    ETag: isPacked ? `"${etag}-gz"` : `"${etag}"`,
    "Cache-Control": CACHE,
    Vary: VARY,
  };
  const known = (inbound.header("if-none-match") ?? "")
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, "").replace(/-gz"$/, '"'));
  if (known.includes(`"${etag}"`) || known.includes("*")) return empty(304, all);
  return isPacked
    ? {
        ...plain(200, contentType, body, { ...all, "Content-Encoding": "gzip" }),
        encode: (text) => pack(etag, text),
      }
    : plain(200, contentType, body, all);
}

/** Where the web analytics tag lives and reports to (developers.google.com "Tag Platform", Content Security Policy). */
const ANALYTICS_SOURCES = {
  "script-src": ["https://*.googletagmanager.com"],
  "connect-src": [
    "https://*.google-analytics.com",
    "https://*.analytics.google.com",
    "https://*.googletagmanager.com",
  ],
};

/** A page of public configuration alone. */
export function embedPage(call: EmbedCall, render: (config: PublicConfig) => string): Reply {
  const { ctx, inbound, tenant } = call;
  const config = publicConfigFor(call);
  const html = render(config);
  return cacheable(
    inbound,
    "text/html; charset=utf-8",
    html,
    embedPageHeaders(ctx, tenant, html, config.measurementId ? ANALYTICS_SOURCES : {}),
  );
}
