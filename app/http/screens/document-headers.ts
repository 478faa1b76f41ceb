// The security headers of a screen's document: in the store admin's frame, or as a page of its own.
import { SHOP_PATTERN } from "../../domain/tenants/tenant-config.ts";

/** Where the app library's own pages are. */
export const AUTH_PREFIX = "/auth/shopify";

type Sources = {
  /** The nonce of the page's own scripts. */
  nonce: string;
  appBridgeUrl: string;
  /** Who frames the app beside the store itself. */
  adminOrigin: string;
};

/** Embedded pages may be framed by their shop and the admin; other pages by no site. */
export function writeDocumentHeaders(
  request: Request,
  headers: Headers,
  { nonce, appBridgeUrl, adminOrigin }: Sources,
): void {
  const { pathname, searchParams } = new URL(request.url);
  headers.set("Referrer-Policy", "strict-origin-when-cross-origin");
  headers.set("X-Content-Type-Options", "nosniff");
  if (!isEmbedded(pathname)) {
    headers.set("Content-Security-Policy", standalonePolicy(nonce));
    return;
  }
  headers.set("Cache-Control", "no-store");
  const shop = searchParams.get("shop") ?? "";
  const isShop = SHOP_PATTERN.test(shop);
  headers.set(
    "Content-Security-Policy",
    `frame-ancestors ${isShop ? `https://${shop} ` : ""}${adminOrigin}; object-src 'none'; base-uri 'none'`,
  );
  if (isShop) headers.set("Link", `<${appBridgeUrl}>; rel="preload"; as="script"`);
}

const isEmbedded = (pathname: string): boolean =>
  /^\/app(\/|$)/.test(pathname) || pathname.startsWith(AUTH_PREFIX);

const standalonePolicy = (nonce: string): string =>
  `default-src 'self'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'unsafe-inline'; img-src 'self' https: data:; object-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;
