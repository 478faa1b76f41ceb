// Responses that shared caches keep for everybody. What a caller sends must not change what others
// get, so the handler of a cacheable route sees a request without what is not part of its key.
import type { ApiRequest } from "../api-request.ts";
import { isShopInQuery, SHOP_HEADERS } from "../auth/tenant-lookup.ts";

/** Beside `Host`, each is in the `Vary` of a response that depends on it. */
const SEEN_HEADERS: ReadonlySet<string> = new Set([
  "host",
  "accept-encoding",
  "if-none-match",
  "a2a-version",
  ...SHOP_HEADERS,
]);

/**
 * The request without credentials, cookies and undeclared parameters: with `shop`, `parameters` and
 * the headers above only.
 */
export function toPublicRequest(request: ApiRequest, parameters: readonly string[]): ApiRequest {
  const url = new URL(request.url);
  const seen = new Set(["shop", ...parameters]);
  // Not taken out one by one: each would write the whole address anew.
  const kept = [...url.searchParams].filter(([name]) => seen.has(name));
  url.search = new URLSearchParams(kept).toString();
  return {
    ...request,
    url,
    header: (name) => (SEEN_HEADERS.has(name) ? request.header(name) : undefined),
  };
}

/**
 * `Cache-Control` of a public response. Many caches ignore `Vary`: they would serve the store that a
 * header names to everybody who asks that address without the header.
 */
export function cacheControl(request: ApiRequest, policy: string): string {
  const isNamedByHeader =
    !isShopInQuery(request) && SHOP_HEADERS.some((name) => request.header(name));
  return isNamedByHeader ? "private, no-store" : policy;
}
