// Who may call: one guard per kind of proof (SPEC "Authentication"). A guard answers a principal or throws 401/403.
import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from "node:crypto";
import type { Ctx } from "../context.server.ts";
import {
  findAdminPrincipal,
  isPlatformKey,
  type AdminPrincipal,
} from "../domain/tenants/admin-key.ts";
import { appOf, type Tenant } from "../domain/tenants/tenant.ts";
import { AppError } from "../runtime/errors.ts";
import { secretEquals } from "../runtime/secrets.ts";
import type { Inbound } from "./inbound.ts";

/**
 * `admin`: the bearer admin key; `platform`: ADMIN_KEY alone; `hmac`: a storefront signature over the raw body;
 * `session`: a signed-in person, by cookie or bearer token; `person`: the same, or an agent that the person lets act;
 * `person_or_admin`: one of these, or the bearer admin key, to which nobody is the principal;
 * `visitor`: a person, a proxied customer, or anybody on a page of the store;
 * `event_source`: the proof of the event's own source; `backend`: the secret of the backend that calls back; `backend_key`: BACKEND_API_KEY.
 */
export type Auth =
  | "none"
  | "admin"
  | "platform"
  | "hmac"
  | "session"
  | "person"
  | "person_or_admin"
  | "visitor"
  | "event_source"
  | "backend"
  | "backend_key";

const CHALLENGE = { "WWW-Authenticate": "Bearer" };

export function bearerToken(inbound: Inbound): string | null {
  return /^Bearer ([^\s,]+)$/i.exec(inbound.header("authorization") ?? "")?.[1] ?? null;
}

export function requireAdmin(ctx: Ctx, inbound: Inbound, tenant: Tenant | null): AdminPrincipal {
  const token = bearerToken(inbound);
  const principal = token ? findAdminPrincipal(ctx, tenant, token) : null;
  if (!principal) throw new AppError("unauthorized", { headers: CHALLENGE });
  return principal;
}

/** Event routes and destinations are not for stores with the access role `shared` (SPEC "Stakeholder access"). */
export function requireEventAccess(tenant: Tenant): void {
  if (tenant.config.access_role === "shared")
    throw new AppError("forbidden", {
      message: "A store with the access role `shared` has no event routes.",
    });
}

export function requirePlatform(ctx: Ctx, inbound: Inbound): AdminPrincipal {
  const token = bearerToken(inbound);
  if (!token || !isPlatformKey(ctx, token))
    throw new AppError("unauthorized", { headers: CHALLENGE });
  return { kind: "platform_key" };
}

/** The header of SPEC, or the bearer form that its task description names. */
export function requireBackendSecret(ctx: Ctx, inbound: Inbound): null {
  const given = inbound.header("x-backend-webhook-secret") ?? bearerToken(inbound);
  if (!given || !secretEquals(given, ctx.config.WORKER_WEBHOOK_SECRET))
    throw new AppError("unauthorized", {
      headers: CHALLENGE,
      details: { method: "shared_secret" },
    });
  return null;
}

export function requireBackendKey(ctx: Ctx, inbound: Inbound): null {
  const [given, key] = [bearerToken(inbound), ctx.config.BACKEND_API_KEY];
  if (!given || !key || !secretEquals(given, key))
    throw new AppError("unauthorized", { headers: CHALLENGE });
  return null;
}

export const isSigned = (inbound: Inbound): boolean =>
  SIGNATURE_HEADERS.some((name) => inbound.header(name) !== undefined);

const OPENING_BRACE = 0x7b;

/**
 * The app's secret signs more than bodies: the queries of proxied requests and of launches too, which visitors have a part
 * in. Those begin with a name, so a signed body begins with `{`, whatever else JSON allows. Throws `invalid_signature`.
 */
export function requireObjectText(inbound: Inbound, auth: Auth, raw: Buffer): void {
  const isStorefronts = auth === "hmac" || (auth === "event_source" && isSigned(inbound));
  if (isStorefronts && raw[0] !== OPENING_BRACE)
    throw new AppError("invalid_signature", {
      ...(auth === "event_source" && { details: { method: "hmac" } }),
    });
}

const SIGNATURE_HEADERS = ["x-storefront-hmac-sha256", "x-shopify-hmac-sha256"] as const;
const SIGNATURE_SHAPE = /^[A-Za-z0-9+/]{43}=$/;
const keys = new WeakMap<readonly string[], KeyObject[]>();

/** The app's secrets as keys: a KeyObject made once costs a fifth of what HMAC with the bare secret costs. */
export function signingKeys(secrets: readonly string[]): KeyObject[] {
  const known = keys.get(secrets);
  if (known) return known;
  const made = secrets.map((secret) => createSecretKey(Buffer.from(secret)));
  keys.set(secrets, made);
  return made;
}

/**
 * Base64 HMAC-SHA256 of the exact bytes, under any of the app's secrets. Both header families may carry it, but two
 * that differ prove nothing; a header sent twice arrives joined by a comma and fails the shape.
 */
export function requireStorefrontSignature(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant | null,
  raw: Buffer,
): null {
  const [ours, theirs] = [
    inbound.header(SIGNATURE_HEADERS[0]),
    inbound.header(SIGNATURE_HEADERS[1]),
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
