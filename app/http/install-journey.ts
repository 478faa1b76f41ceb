// The browser's side of the installation: the state cookie and the two redirects. Shared by the
// paths and their aliases.
import type { Ctx } from "../context.server.ts";
import { beginInstall, completeInstall } from "../domain/tenants/storefront/install.ts";
import { TTL_SECONDS } from "../runtime/database/kv-keys.ts";
import { journeyCookie, journeyCookieName, readCookie } from "./cookies.ts";
import type { ApiRequest } from "./api-request.ts";
import { redirect, redirectAway, type ApiResponse } from "./api-response.ts";

const COOKIE = "crm_install";

export async function startInstall(
  ctx: Ctx,
  request: ApiRequest,
  shop: string,
): Promise<ApiResponse> {
  const { location, state } = await beginInstall(ctx, shop);
  return redirectAway(request, location, {
    "Set-Cookie": journeyCookie(ctx, COOKIE, state, TTL_SECONDS.oauthState),
  });
}

export async function finishInstall(ctx: Ctx, request: ApiRequest): Promise<ApiResponse> {
  const { location } = await completeInstall(
    ctx,
    request.url.searchParams,
    readCookie(request, journeyCookieName(ctx, COOKIE)),
  );
  return redirect(location, { "Set-Cookie": journeyCookie(ctx, COOKIE, "", 0) });
}
