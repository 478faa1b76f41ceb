// The signed-in person: from the cookie or as a bearer token. A cookie travels by itself, so what it may change must come
// from an origin of the store, as JSON (DECISIONS 3).
import type { Ctx } from "../context.server.ts";
import { checkSession, type Session } from "../domain/identity/sessions.ts";
import { findTenant, type Tenant } from "../domain/tenants/tenant.ts";
import { AppError } from "../runtime/errors.ts";
import { readCookie } from "./cookies.ts";
import { isAllowedOrigin } from "../domain/tenants/allowed-origins.ts";
import { bearerToken } from "./guards.ts";
import type { Inbound } from "./inbound.ts";

export const SESSION_COOKIE = "__Host-crm_session";

type Credential = { token: string; isCookie: boolean };

/** Null when there is none; 401 when cookie and bearer token disagree about who is calling. */
export function sessionCredential(inbound: Inbound): Credential | null {
  const bearer = bearerToken(inbound);
  const cookie = readCookie(inbound, SESSION_COOKIE);
  if (bearer && cookie && bearer !== cookie)
    throw new AppError("unauthorized", {
      message: "The cookie and the bearer token are of different sessions.",
    });
  const token = bearer ?? cookie;
  return token ? { token, isCookie: !bearer } : null;
}

export const unauthorized = () =>
  new AppError("unauthorized", { headers: { "WWW-Authenticate": "Bearer" } });
export const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

export async function requireSession(
  ctx: Ctx,
  inbound: Inbound,
  remembered: Tenant | null,
): Promise<{ session: Session; tenant: Tenant }> {
  const credential = sessionCredential(inbound);
  if (!credential || !remembered) throw unauthorized();
  const { session, tenant } = await checkTwice(ctx, remembered, credential.token);
  if (credential.isCookie && !SAFE_METHODS.has(inbound.method))
    requireOwnPage(ctx, inbound, tenant);
  return { session, tenant };
}

/** Once with the tenant as this process remembers it; again only when the record has changed since. */
async function checkTwice(
  ctx: Ctx,
  remembered: Tenant,
  token: string,
): Promise<{ session: Session; tenant: Tenant }> {
  let tenant: Tenant | null = remembered;
  for (let attempt = 1; tenant && attempt <= 3; attempt += 1) {
    const check = await checkSession(ctx, tenant, token);
    if (check.outcome === "valid") return { session: check.session, tenant };
    if (check.outcome === "invalid") break;
    tenant = await findTenant(ctx, remembered.shop);
  }
  throw unauthorized();
}

/** For pages that show themselves to whom they meet: the person of the cookie, or null. */
export async function findCookieSession(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
): Promise<Session | null> {
  const token = readCookie(inbound, SESSION_COOKIE);
  const check = token ? await checkSession(ctx, tenant, token) : null;
  return check?.outcome === "valid" ? check.session : null;
}

/** The session that came with a request which needs none: by bearer token, or by cookie from a page of the store. */
export async function findSession(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
): Promise<Session | null> {
  const credential = sessionCredential(inbound);
  if (credential?.isCookie) return findOwnPageSession(ctx, inbound, tenant);
  const check = credential ? await checkSession(ctx, tenant, credential.token) : null;
  return check?.outcome === "valid" ? check.session : null;
}

/** The session of the cookie, when the request comes from a page of the store: else another site made the browser send it. */
export async function findOwnPageSession(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
): Promise<Session | null> {
  const origin = inbound.header("origin");
  const isOwn = origin !== undefined && isAllowedOrigin(ctx, tenant, origin);
  return isOwn ? findCookieSession(ctx, inbound, tenant) : null;
}

function requireOwnPage(ctx: Ctx, inbound: Inbound, tenant: Tenant): void {
  const origin = inbound.header("origin");
  if (!origin || !isAllowedOrigin(ctx, tenant, origin)) throw new AppError("origin_not_allowed");
  if (inbound.header("content-type")?.split(";")[0]?.trim().toLowerCase() !== "application/json")
    throw new AppError("unsupported_media_type");
}
