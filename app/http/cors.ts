// CORS and the headers of every response. An allowed origin is echoed exactly, with credentials;
// others get no CORS headers. Routes of UI extensions have origins of their own, without credentials.
import type { Ctx } from "../context.server.ts";
import { isAllowedOrigin } from "../domain/tenants/allowed-origins.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import type { ApiRequest } from "./api-request.ts";

const ALLOWED_HEADERS =
  "Authorization, Content-Type, Idempotency-Key, X-Storefront-Shop-Domain, UCP-Agent, A2A-Version, MCP-Protocol-Version, Mcp-Method, Mcp-Name";
const PREFLIGHT_SECONDS = "600";

export function corsHeaders(
  ctx: Ctx,
  tenant: Tenant | null,
  request: ApiRequest,
): Record<string, string> {
  const origin = request.header("origin");
  if (!origin || !isAllowedOrigin(ctx, tenant, origin)) return { Vary: "Origin" };
  return {
    Vary: "Origin",
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Expose-Headers": "X-Request-Id, Retry-After, X-Cache, Idempotent-Replayed",
  };
}

/**
 * The platform runs UI extensions on this origin, or in a worker whose origin is opaque (shopify.dev "Network
 * access"). Any page can have the latter: these routes take bearer tokens only, so that no credentials are allowed.
 */
const EXTENSION_ORIGINS: ReadonlySet<string> = new Set([
  "https://extensions.shopifycdn.com",
  "null",
]);

export function extensionCorsHeaders(request: ApiRequest): Record<string, string> {
  const origin = request.header("origin");
  if (!origin || !EXTENSION_ORIGINS.has(origin)) return { Vary: "Origin" };
  return {
    Vary: "Origin",
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": "X-Request-Id, Retry-After",
  };
}

export function preflightHeaders(
  cors: Record<string, string>,
  methods: readonly string[],
): Record<string, string> {
  const allow = methods.join(", ");
  if (!cors["Access-Control-Allow-Origin"]) return { ...cors, Allow: allow };
  return {
    ...cors,
    Allow: allow,
    "Access-Control-Allow-Methods": allow,
    "Access-Control-Allow-Headers": ALLOWED_HEADERS,
    "Access-Control-Max-Age": PREFLIGHT_SECONDS,
  };
}

/** For standalone HTML that must not be framed. */
export const PAGE_HEADERS: Record<string, string> = {
  "Content-Security-Policy":
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' https: data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "X-Content-Type-Options": "nosniff",
};
