// Where an embedded page goes that is opened outside the store admin.
import type { Ctx } from "../../context.server.ts";
import { isConnected } from "../../domain/tenants/store-access.ts";
import { findTenant } from "../../domain/tenants/tenant.ts";
import { SHOP_PATTERN } from "../../domain/tenants/tenant-config.ts";
import { AUTH_PREFIX } from "./document-headers.ts";

/**
 * Into the admin when the store is connected, else to the install; null for a page that is in the admin, or that
 * names no store.
 */
export async function redirectIntoAdmin(ctx: Ctx, request: Request): Promise<Response | null> {
  const { pathname, searchParams: query } = new URL(request.url);
  const shop = query.get("shop") ?? "";
  const isInAdmin =
    request.headers.has("authorization") ||
    (query.get("embedded") === "1" && isEncoded(query.get("host")));
  if (isInAdmin) return null;
  // A page in the admin's frame whose address lost the store: the tab may know it (`launch.ts`).
  if (shop === "" && request.headers.get("sec-fetch-dest") === "iframe")
    return redirectTo(`${AUTH_PREFIX}/login?back=${encodeURIComponent(pathname)}`);
  if (!SHOP_PATTERN.test(shop)) return null;
  const tenant = await findTenant(ctx, shop);
  return redirectTo(
    tenant !== null && isConnected(tenant)
      ? ctx.storefront.adminUrl(shop, `/admin/apps/${tenant.app.clientId}`)
      : `/auth/install?shop=${shop}`,
  );
}

/** Whether a `host` can be decoded: the library's own attempt ends in an error. */
function isEncoded(host: string | null): boolean {
  try {
    return host !== null && atob(host) !== "";
  } catch {
    return false;
  }
}

const redirectTo = (location: string): Response =>
  new Response(null, {
    status: 302,
    headers: { Location: location, "Cache-Control": "no-store" },
  });
