// Cookies for one sign-in or installation.
import type { Ctx } from "../context.server.ts";
import type { ApiRequest } from "./api-request.ts";

export function readCookie(request: ApiRequest, name: string): string | undefined {
  for (const pair of (request.header("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/**
 * `__Host-` binds a cookie to this host over https; browsers reject it on a loopback http address.
 */
export function journeyCookieName(ctx: Ctx, name: string): string {
  return ctx.baseUrl.startsWith("https:") ? `__Host-${name}` : name;
}

const LAX = "Path=/; HttpOnly; SameSite=Lax";

/**
 * SameSite=Lax: the cookie must be sent with the redirect from the other site. `maxAgeSeconds` 0
 * deletes it.
 */
export function journeyCookie(
  ctx: Ctx,
  name: string,
  value: string,
  maxAgeSeconds: number,
): string {
  const secure = ctx.baseUrl.startsWith("https:") ? "; Secure" : "";
  return `${journeyCookieName(ctx, name)}=${value}; ${LAX}; Max-Age=${maxAgeSeconds}${secure}`;
}

/** The same, always bound to this host, as the session cookie is. `name` begins with `__Host-`. */
export const boundJourneyCookie = (
  name: `__Host-${string}`,
  value: string,
  maxAgeSeconds: number,
): string => `${name}=${value}; ${LAX}; Max-Age=${maxAgeSeconds}; Secure`;
