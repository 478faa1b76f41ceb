// The page for a shopper whose link to a proxied page is refused. Mail and advertising tools add parameters
// (`utm_source`, `fbclid`) to the links that a store shares, and a proxied request may carry none of them
// (docs/decisions/026-app-proxy.md). The page links to its own address without them.
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { renderRefusedLink } from "../../embeds/account-pages.ts";
import { isAppError } from "../../runtime/errors.ts";
import type { ApiRequest } from "../api-request.ts";
import type { ApiResponse } from "../api-response.ts";
import { LOCALE_SHAPE } from "../auth/app-proxy.ts";
import { linkPage } from "./link-page.ts";
import { lookForReader } from "./reader-look.ts";

/** Null for every other error, and for clients that do not ask for HTML. */
export function refusedLinkPage(
  error: unknown,
  request: ApiRequest,
  tenant: Tenant | null,
): ApiResponse | null {
  const isRefused = isAppError(error) && error.code === "invalid_signature";
  const isForBrowser = request.header("accept")?.includes("text/html");
  if (!isRefused || !isForBrowser || tenant === null) return null;
  const named = request.url.searchParams.get("locale");
  const locale = named !== null && LOCALE_SHAPE.test(named) ? named : null;
  // Relative: the shopper's browser is at the store's address, which this service does not see.
  const address = locale === null ? "?" : `?locale=${locale}`;
  return linkPage(error.status, renderRefusedLink(lookForReader(request, tenant, locale), address));
}
