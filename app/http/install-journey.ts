// The browser's side of the install: the state cookie and the two redirects. Shared by the paths and their aliases.
import type { Ctx } from "../context.server.ts";
import { beginInstall, completeInstall } from "../domain/tenants/install.ts";
import { TTL_SECONDS } from "../runtime/kv.ts";
import { journeyCookie, journeyCookieName, readCookie } from "./cookies.ts";
import type { Inbound } from "./inbound.ts";
import { redirect, type Reply } from "./reply.ts";

const COOKIE = "crm_install";

export async function startInstall(ctx: Ctx, shop: string): Promise<Reply> {
  const { location, state } = await beginInstall(ctx, shop);
  return redirect(location, {
    "Set-Cookie": journeyCookie(ctx, COOKIE, state, TTL_SECONDS.oauthState),
  });
}

export async function finishInstall(ctx: Ctx, inbound: Inbound): Promise<Reply> {
  const { location } = await completeInstall(
    ctx,
    inbound.url.searchParams,
    readCookie(inbound, journeyCookieName(ctx, COOKIE)),
  );
  return redirect(location, { "Set-Cookie": journeyCookie(ctx, COOKIE, "", 0) });
}
