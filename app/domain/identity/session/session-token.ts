// The session token (SPEC "Session JWT"): HS256, exactly six claims, a `kid` that names the tenant
// and the key. Pure computation; sessions.ts decides who may use a token.
import {
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  timingSafeEqual,
  type KeyObject,
} from "node:crypto";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Config } from "../../../runtime/config.ts";
import { SHOP_PATTERN } from "../../tenants/tenant-config.ts";
import type { Tenant } from "../../tenants/tenant.ts";

export const SESSION_SECONDS = 604_800;
const MAX_TOKEN_LENGTH = 4_096;
const FUTURE_TOLERANCE_SECONDS = 60;
/** People's ids are 4-byte integers: the database rejects a larger one. */
const MAX_ID = 2_147_483_647;

export type SessionClaims = {
  sub: string;
  email: string;
  name: string;
  provider: string;
  iat: number;
  exp: number;
};

const Header = z.object({ alg: z.literal("HS256"), kid: z.string() });
const Claims = z.object({
  sub: z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .refine((id) => Number(id) <= MAX_ID),
  email: z.string(),
  name: z.string(),
  provider: z.string(),
  iat: z.number().int(),
  exp: z.number().int(),
});

/**
 * `header` is the start of every token that `mintToken` issues: such a token's kid is known without
 * parsing it.
 */
type Key = { key: KeyObject; kid: string; header: string };
const keys = new WeakMap<Tenant, Key>();

/**
 * The tenant's own secret; else the deployed one for the deployed store; else one derived from it
 * for this shop.
 */
function secretOf(config: Config, tenant: Tenant): Buffer {
  if (tenant.config.jwt_secret) return Buffer.from(tenant.config.jwt_secret, "utf8");
  if (tenant.shop === config.STOREFRONT_STORE_DOMAIN) return Buffer.from(config.JWT_SECRET, "utf8");
  return Buffer.from(
    hkdfSync("sha256", Buffer.from(config.JWT_SECRET, "utf8"), Buffer.alloc(0), tenant.shop, 32),
  );
}

/**
 * The id that distinguishes one person's tokens of one second is last in the header: the contract
 * allows six claims only.
 */
const MARK_LENGTH = 10;
const TAIL_LENGTH = 16;

/**
 * The header up to the id, which starts at a base64 group boundary, so that the preceding text is
 * the same in every token.
 */
function headerOf(kid: string): string {
  const text = (gap: string) =>
    `{"alg":"HS256","typ":"JWT","kid":${JSON.stringify(kid)},${gap}"jti":"`;
  return Buffer.from(text(" ".repeat((3 - (text("").length % 3)) % 3))).toString("base64url");
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function keyOf(config: Config, tenant: Tenant): Key {
  const known = keys.get(tenant);
  if (known) return known;
  const secret = secretOf(config, tenant);
  const kid = `${tenant.shop}/${hash("sha256", secret).slice(0, 8)}`;
  const made = { key: createSecretKey(secret), kid, header: headerOf(kid) };
  keys.set(tenant, made);
  return made;
}

/**
 * `mark`: at least 10 random base64url characters; without it two tokens of one second would be
 * equal, and a sign-out would end both.
 */
export function mintToken(
  config: Config,
  tenant: Tenant,
  claims: SessionClaims,
  mark: string,
): string {
  const { key, header } = keyOf(config, tenant);
  const signed = `${header}${Buffer.from(`${mark.slice(0, MARK_LENGTH)}"}`).toString("base64url")}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

function decode<S extends z.ZodType>(part: string | undefined, schema: S): z.output<S> | null {
  try {
    const parsed = schema.safeParse(
      JSON.parse(Buffer.from(part ?? "", "base64url").toString("utf8")),
    );
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Shops by the start of their tokens' headers. */
const shops = new LRUCache<string, string>({ max: 5_000 });

/** Base64 HMAC-SHA256 under the secret that signs this tenant's sessions. */
export const signAsTenant = (config: Config, tenant: Tenant, text: string): string =>
  createHmac("sha256", keyOf(config, tenant).key).update(text).digest("base64");

/**
 * The shop that a token claims: a hint for finding the tenant, unverified until the signature is
 * checked.
 */
export function shopOfToken(token: string): string | null {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  const header = token.slice(0, Math.max(0, token.indexOf(".")));
  const beginning = header.slice(0, -TAIL_LENGTH);
  const known = shops.get(beginning);
  if (known) return known;
  const kid = decode(header, Header)?.kid;
  const shop = kid?.split("/", 1)[0];
  if (!kid || !shop || !SHOP_PATTERN.test(shop)) return null;
  // Only the exact start of a token of this kid: another token may have a second kid after it and
  // would be taken for the first one's.
  if (beginning !== headerOf(kid)) return shop;
  shops.set(beginning, shop);
  return shop;
}

/** The claims of a valid, unexpired token of this tenant's key, dated by now; null for anything else. */
export function verifySessionToken(
  config: Config,
  tenant: Tenant,
  token: string,
  now: Date,
): SessionClaims | null {
  const claims = readSessionToken(config, tenant, token, now);
  return claims && !isOfFuture(claims, now) ? claims : null;
}

export const isOfFuture = ({ iat }: SessionClaims, now: Date): boolean =>
  iat > now.getTime() / 1_000 + FUTURE_TOLERANCE_SECONDS;

/** As `verifySessionToken`, but accepts a token that is dated in the future: the caller checks `isOfFuture`. */
export function readSessionToken(
  config: Config,
  tenant: Tenant,
  token: string,
  now: Date,
): SessionClaims | null {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  const parts = token.split(".");
  const [header, payload, signature] = parts;
  const { key, kid, header: minted } = keyOf(config, tenant);
  const isMinted = header?.length === minted.length + TAIL_LENGTH && header.startsWith(minted);
  if (parts.length !== 3 || (!isMinted && decode(header, Header)?.kid !== kid)) return null;
  // Compared as text: base64url has several spellings of the same bytes, and only one of them was
  // issued.
  const expected = Buffer.from(
    createHmac("sha256", key).update(`${header}.${payload}`).digest("base64url"),
  );
  const given = Buffer.from(signature ?? "");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const claims = decode(payload, Claims);
  return claims && claims.exp > now.getTime() / 1_000 ? claims : null;
}
