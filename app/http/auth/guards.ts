// The guards of keys, secrets and signatures. A guard returns a principal or throws 401.
import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import {
  findAdminPrincipal,
  isPlatformKey,
  type AdminPrincipal,
} from "../../domain/tenants/admin-key.ts";
import { appOf, type Tenant } from "../../domain/tenants/tenant.ts";
import { AppError } from "../../runtime/errors.ts";
import { secretEquals } from "../../runtime/secrets.ts";
import type { ApiRequest } from "../api-request.ts";

const CHALLENGE = { "WWW-Authenticate": "Bearer" };

export function bearerToken(request: ApiRequest): string | null {
  return /^Bearer +(\S.*)$/i.exec(request.header("authorization") ?? "")?.[1] ?? null;
}

export function requireAdmin(ctx: Ctx, request: ApiRequest, tenant: Tenant | null): AdminPrincipal {
  const token = bearerToken(request);
  const principal = token ? findAdminPrincipal(ctx, tenant, token) : null;
  if (!principal) throw new AppError("unauthorized", { headers: CHALLENGE });
  return principal;
}

/**
 * Event routes and destinations are closed to stores with the access role `shared` (SPEC
 * "Stakeholder access").
 */
export function requireEventAccess(tenant: Tenant): void {
  if (tenant.config.access_role === "shared")
    throw new AppError("forbidden", {
      message: "A store with the access role `shared` has no event routes.",
    });
}

export function requirePlatform(ctx: Ctx, request: ApiRequest): AdminPrincipal {
  const token = bearerToken(request);
  if (!token || !isPlatformKey(ctx, token))
    throw new AppError("unauthorized", { headers: CHALLENGE });
  return { kind: "platform_key" };
}

/** SPEC's header, or the bearer form of its task description. */
export function requireBackendSecret(ctx: Ctx, request: ApiRequest): null {
  const given = request.header("x-backend-webhook-secret") ?? bearerToken(request);
  if (!given || !secretEquals(given, ctx.config.WORKER_WEBHOOK_SECRET))
    throw new AppError("unauthorized", {
      headers: CHALLENGE,
      details: { method: "shared_secret" },
    });
  return null;
}

export function requireBackendKey(ctx: Ctx, request: ApiRequest): null {
  const [given, key] = [bearerToken(request), ctx.config.BACKEND_API_KEY];
  if (!given || !key || !secretEquals(given, key))
    throw new AppError("unauthorized", { headers: CHALLENGE });
  return null;
}

export const isSigned = (request: ApiRequest): boolean =>
  SIGNATURE_HEADERS.some((name) => request.header(name) !== undefined);

const OPENING_BRACE = 0x7b;

/**
 * The app's secret also signs queries of proxied requests and of launches, which visitors can
 * influence. Those begin with a name, so a signed body must begin with `{`, although JSON allows
 * more. Throws `invalid_signature`.
 */
export function requireObjectText(raw: Buffer, details?: { method: string }): void {
  if (raw[0] !== OPENING_BRACE)
    throw new AppError("invalid_signature", { ...(details && { details }) });
}

const SIGNATURE_HEADERS = ["x-storefront-hmac-sha256", "x-shopify-hmac-sha256"] as const;
const SIGNATURE_SHAPE = /^[A-Za-z0-9+/]{43}=$/;
const keys = new WeakMap<readonly string[], KeyObject[]>();

/**
 * The app's secrets as KeyObjects, created once: HMAC with a bare secret costs five times as much.
 */
export function signingKeys(secrets: readonly string[]): KeyObject[] {
  const known = keys.get(secrets);
  if (known) return known;
  const made = secrets.map((secret) => createSecretKey(Buffer.from(secret)));
  keys.set(secrets, made);
  return made;
}

/**
 * Base64 HMAC-SHA256 of the exact bytes, under any of the app's secrets. Both header families may
 * carry it, but two different values are rejected; a repeated header arrives joined by a comma and
 * fails the format check.
 */
export function requireStorefrontSignature(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant | null,
  raw: Buffer,
): null {
  const [ours, theirs] = [
    request.header(SIGNATURE_HEADERS[0]),
    request.header(SIGNATURE_HEADERS[1]),
  ];
  const signature = ours ?? theirs;
  if (
    !signature ||
    (ours !== undefined && theirs !== undefined && ours !== theirs) ||
    !SIGNATURE_SHAPE.test(signature)
  )
    throw new AppError("invalid_signature");
  const expected = signingKeys(appOf(ctx, tenant).secrets).map((key) =>
    createHmac("sha256", key).update(raw).digest("base64"),
  );
  if (
    !expected
      .map((candidate) => timingSafeEqual(Buffer.from(candidate), Buffer.from(signature)))
      .some(Boolean)
  )
    throw new AppError("invalid_signature");
  return null;
}
