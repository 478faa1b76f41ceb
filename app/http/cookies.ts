// Cookies that hold something for the length of one journey.
import type { Ctx } from "../context.server.ts";
import type { Inbound } from "./inbound.ts";

export function readCookie(inbound: Inbound, name: string): string | undefined {
  for (const pair of (inbound.header("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** `__Host-` binds a cookie to this host over https; on a loopback http address a browser would refuse it. */
export function journeyCookieName(ctx: Ctx, name: string): string {
  return ctx.baseUrl.startsWith("https:") ? `__Host-${name}` : name;
}

const LAX = "Path=/; HttpOnly; SameSite=Lax";

/** Lax: it must come back with the redirect from the other site, and from nowhere else. `maxAgeSeconds` 0 clears it. */
export function journeyCookie(
  ctx: Ctx,
  name: string,
  value: string,
  maxAgeSeconds: number,
): string {
  const secure = ctx.baseUrl.startsWith("https:") ? "; Secure" : "";
  return `${journeyCookieName(ctx, name)}=${value}; ${LAX}; Max-Age=${maxAgeSeconds}${secure}`;
}

/** The same, bound to this host wherever the service runs, as the session's own cookie is. `name` begins with `__Host-`. */
export const boundJourneyCookie = (
  name: `__Host-${string}`,
  value: string,
  maxAgeSeconds: number,
): string => `${name}=${value}; ${LAX}; Max-Age=${maxAgeSeconds}; Secure`;
