// The shopper's account and dashboard over HTTP: a page that is the same for everybody and may be kept, except where the
// storefront's proxy says which customer it is for.
import { toReturnPath } from "../domain/identity/oidc-journey.ts";
import { findCustomerView } from "../domain/identity/customer-view.ts";
import { renderShopperPage, shopperScript, type ShopperPage } from "../embeds/shopper-page.ts";
import { LOCALE_SHAPE, PATH_SHAPE, type ProxyParameters } from "./app-proxy.ts";
import { cacheable, embedPageHeaders, publicConfigFor, type EmbedCall } from "./embed-reply.ts";
import type { Inbound } from "./inbound.ts";
import { returnOrigin } from "./oidc-redirects.ts";
import { plain, type Reply } from "./reply.ts";

const HTML = "text/html; charset=utf-8";

/** `error` comes with a sign-in elsewhere that failed, which leads back to these pages. */
export const SHOPPER_PAGE_PARAMETERS: ProxyParameters = {
  locale: LOCALE_SHAPE,
  return_to: PATH_SHAPE,
  error: /^[a-z_]{1,40}$/,
};

export async function showShopperPage(call: EmbedCall, page: ShopperPage): Promise<Reply> {
  const { ctx, inbound, tenant, proxied } = call;
  const gid = proxied?.customerGid ?? null;
  const customer = gid ? await findCustomerView(ctx, tenant, gid) : null;
  const path = toReturnPath(inbound.url.searchParams.get("return_to"));
  const returnTo = path === "/" ? null : { path, href: new URL(path, returnOrigin(tenant)).href };
  const body = renderShopperPage(publicConfigFor(call), {
    page,
    returnTo,
    customer,
  });
  // Where people came from is nobody's business outside; and a page with a customer in it is for that customer alone.
  const headers = { ...embedPageHeaders(ctx, tenant, body), "Referrer-Policy": "same-origin" };
  return proxied
    ? plain(200, HTML, body, { ...headers, "Cache-Control": "private, no-store" })
    : cacheable(inbound, HTML, body, headers);
}

export const sendShopperScript = (inbound: Inbound, page: ShopperPage): Reply =>
  cacheable(inbound, "text/javascript; charset=utf-8", shopperScript(page));
