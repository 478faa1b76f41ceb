// The shopper's account and dashboard over HTTP: a public, cacheable page, except when the
// storefront's proxy names the customer.
import { toReturnPath } from "../../domain/identity/oidc/journey.ts";
import { findCustomerView } from "../../domain/identity/customer-view.ts";
import { renderShopperPage, shopperScript, type ShopperPage } from "../../embeds/shopper-page.ts";
import { LOCALE_SHAPE, PATH_SHAPE, type ProxyParameters } from "../auth/app-proxy.ts";
import { cacheable, embedPageHeaders, publicConfigFor, type EmbedCall } from "./embed-response.ts";
import type { ApiRequest } from "../api-request.ts";
import { returnOrigin } from "./oidc-redirects.ts";
import { plain, type ApiResponse } from "../api-response.ts";

const HTML = "text/html; charset=utf-8";

/** `error` is set by a failed external sign-in that returns to these pages. */
export const SHOPPER_PAGE_PARAMETERS: ProxyParameters = {
  locale: LOCALE_SHAPE,
  return_to: PATH_SHAPE,
  error: /^[a-z_]{1,40}$/,
};

export async function showShopperPage(call: EmbedCall, page: ShopperPage): Promise<ApiResponse> {
  const { ctx, request, tenant, proxied } = call;
  const gid = proxied?.customerGid ?? null;
  const customer = gid ? await findCustomerView(ctx, tenant, gid) : null;
  const path = toReturnPath(request.url.searchParams.get("return_to"));
  const returnTo = path === "/" ? null : { path, href: new URL(path, returnOrigin(tenant)).href };
  const body = renderShopperPage(publicConfigFor(call), {
    page,
    returnTo,
    customer,
  });
  // No path is sent outside. In the store's own pages a sign-in is outside, and asks for their origin.
  const headers = {
    ...embedPageHeaders(ctx, tenant, body),
    "Referrer-Policy": proxied ? "strict-origin" : "same-origin",
  };
  // A page with a customer's data is private.
  return proxied
    ? plain(200, HTML, body, { ...headers, "Cache-Control": "private, no-store" })
    : cacheable(request, HTML, body, headers, { isForOne: returnTo !== null });
}

export const sendShopperScript = (request: ApiRequest, page: ShopperPage): ApiResponse =>
  cacheable(request, "text/javascript; charset=utf-8", shopperScript(page));
