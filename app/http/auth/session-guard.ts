// The signed-in shopper, by cookie or bearer token. Browsers send a cookie automatically, so a
// change by cookie must be JSON from an origin of the store (DECISIONS 3).
import type { Ctx } from "../../context.server.ts";
import { checkSession, type Session } from "../../domain/identity/session/sessions.ts";
import { findTenant, StaleTenantError, type Tenant } from "../../domain/tenants/tenant.ts";
import { AppError } from "../../runtime/errors.ts";
import { readCookie } from "../cookies.ts";
import { isAllowedOrigin } from "../../domain/tenants/allowed-origins.ts";
import { bearerToken } from "./guards.ts";
import type { ApiRequest } from "../api-request.ts";

export const SESSION_COOKIE = "__Host-crm_session";

type Credential = { token: string; isCookie: boolean };

/** Null without a token; 401 when cookie and bearer token name different shoppers. */
export function sessionCredential(request: ApiRequest): Credential | null {
  const bearer = bearerToken(request);
  const cookie = readCookie(request, SESSION_COOKIE);
  if (bearer && cookie && bearer !== cookie)
    throw new AppError("unauthorized", {
      message: "The cookie and the bearer token are of different sessions.",
    });
  const token = bearer ?? cookie;
  return token ? { token, isCookie: !bearer } : null;
}

/** RFC 6750 3: at least one parameter follows the scheme. */
export const unauthorized = () =>
  new AppError("unauthorized", { headers: { "WWW-Authenticate": 'Bearer realm="customers"' } });
export const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** `challenge` makes the 401. */
export async function requireSession(
  ctx: Ctx,
  request: ApiRequest,
  cachedTenant: Tenant | null,
  challenge: () => AppError = unauthorized,
): Promise<{ session: Session; tenant: Tenant }> {
  const credential = sessionCredential(request);
  if (!credential || !cachedTenant) throw challenge();
  const checked = await checkWithCurrentTenant(ctx, cachedTenant, credential.token);
  if (!checked) throw challenge();
  const { session, tenant } = checked;
  if (credential.isCookie && !SAFE_METHODS.has(request.method))
    requireOwnPage(ctx, request, tenant);
  return { session, tenant };
}

/** How often a tenant's record may change while a session is checked. */
const MAX_TENANT_CHANGES = 2;

/**
 * Checks with the cached tenant first, and again only when the record has changed since. Null: invalid. Throws
 * StaleTenantError when it changes all the time: the request begins again.
 */
async function checkWithCurrentTenant(
  ctx: Ctx,
  cachedTenant: Tenant,
  token: string,
): Promise<{ session: Session; tenant: Tenant } | null> {
  let tenant: Tenant | null = cachedTenant;
  for (let changes = 0; tenant; changes += 1) {
    const check = await checkSession(ctx, tenant, token);
    if (check.outcome === "valid") return { session: check.session, tenant };
    if (check.outcome === "invalid") return null;
    if (changes === MAX_TENANT_CHANGES) throw new StaleTenantError();
    tenant = await findTenant(ctx, cachedTenant.shop);
  }
  return null;
}

/** The cookie's shopper, or null, for pages that adapt to the shopper. */
export async function findCookieSession(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
): Promise<Session | null> {
  const token = readCookie(request, SESSION_COOKIE);
  const checked = token ? await checkWithCurrentTenant(ctx, tenant, token) : null;
  return checked?.session ?? null;
}

/**
 * The session of a request that does not require one: by bearer token, or by cookie from a page of
 * the store.
 */
export async function findSession(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
): Promise<Session | null> {
  const credential = sessionCredential(request);
  if (credential?.isCookie) return findOwnPageSession(ctx, request, tenant);
  const checked = credential ? await checkWithCurrentTenant(ctx, tenant, credential.token) : null;
  return checked?.session ?? null;
}

/**
 * The session of the cookie, if the request comes from a page of the store: another site could make
 * the browser send it.
 */
export async function findOwnPageSession(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
): Promise<Session | null> {
  const origin = request.header("origin");
  const isOwn = origin !== undefined && isAllowedOrigin(ctx, tenant, origin);
  return isOwn ? findCookieSession(ctx, request, tenant) : null;
}

function requireOwnPage(ctx: Ctx, request: ApiRequest, tenant: Tenant): void {
  const origin = request.header("origin");
  if (!origin || !isAllowedOrigin(ctx, tenant, origin)) throw new AppError("origin_not_allowed");
  if (request.header("content-type")?.split(";")[0]?.trim().toLowerCase() !== "application/json")
    throw new AppError("unsupported_media_type");
}
