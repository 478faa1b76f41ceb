// The shopper's account and dashboard over HTTP: a page that is the same for everybody and may be kept, except where the
// storefront's proxy says which customer it is for.
import type { Ctx } from "../context.server.ts";
import { toReturnPath } from "../domain/identity/oidc-journey.ts";
import { findCustomerView } from "../domain/identity/customer-view.ts";
import { renderShopperPage, shopperScript, type ShopperPage } from "../embeds/shopper-page.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { cacheable, embedPageHeaders, publicConfigFor } from "./embed-reply.ts";
import type { Inbound } from "./inbound.ts";
import { returnOrigin } from "./oidc-redirects.ts";
import { plain, type Reply } from "./reply.ts";
import { requireProxySignature } from "./visitor-guard.ts";

const HTML = "text/html; charset=utf-8";

export async function showShopperPage(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
  page: ShopperPage,
): Promise<Reply> {
  const { searchParams } = inbound.url;
  const isSigned = searchParams.has("signature");
  const gid = isSigned ? requireProxySignature(ctx, searchParams, tenant) : null;
  const customer = gid ? await findCustomerView(ctx, tenant, gid) : null;
  const path = toReturnPath(searchParams.get("return_to"));
  const returnTo = path === "/" ? null : { path, href: new URL(path, returnOrigin(tenant)).href };
  const body = renderShopperPage(publicConfigFor(ctx, inbound, tenant), {
    page,
    returnTo,
    customer,
  });
  // Where people came from is nobody's business outside; and a page with a customer in it is for that customer alone.
  const headers = { ...embedPageHeaders(ctx, tenant, body), "Referrer-Policy": "same-origin" };
  return isSigned
    ? plain(200, HTML, body, { ...headers, "Cache-Control": "private, no-store" })
    : cacheable(inbound, HTML, body, headers);
}

export const sendShopperScript = (inbound: Inbound, page: ShopperPage): Reply =>
  cacheable(inbound, "text/javascript; charset=utf-8", shopperScript(page));
