// Two proofs of a mandate: SPEC's HMAC over four of its fields, which the store can verify, and a
// signature over all of them, which anyone can verify with the manifest's public key (RFC 7515, ES256).
import { createECDH, createPrivateKey, hash, hkdfSync, sign, type KeyObject } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import type { Config } from "../../runtime/config.ts";
import { signAsTenant } from "../identity/session/session-token.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { Mandate } from "./mandate.ts";

export type PublicMandateKey = {
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
  kid: string;
  alg: "ES256";
  use: "sig";
};
type ProofKey = { key: KeyObject; jwk: PublicMandateKey };

const keys = new WeakMap<Config, ProofKey>();

// Derived, so that all processes have the same key and none is stored; it changes with JWT_SECRET.
function keyOf(config: Config): ProofKey {
  const known = keys.get(config);
  if (known) return known;
  const curve = createECDH("prime256v1");
  const scalar = Buffer.from(
    hkdfSync(
      "sha256",
      Buffer.from(config.JWT_SECRET, "utf8"),
      Buffer.alloc(0),
      "commerce/mandate-proof",
      32,
    ),
  );
  curve.setPrivateKey(scalar);
  const point = curve.getPublicKey();
  const base = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  } as const;
  // RFC 7638: the required members in lexicographic order.
  const kid = hash(
    "sha256",
    JSON.stringify({ crv: base.crv, kty: base.kty, x: base.x, y: base.y }),
    "base64url",
  );
  const made: ProofKey = {
    key: createPrivateKey({ key: { ...base, d: scalar.toString("base64url") }, format: "jwk" }),
    jwk: { ...base, kid, alg: "ES256", use: "sig" },
  };
  keys.set(config, made);
  return made;
}

/** The public key of a mandate's `proof`, for the manifest. */
export const publicMandateKey = (config: Config): PublicMandateKey => keyOf(config).jwk;

/** The private half of that key, which signs the AP2 form of the same mandate. */
export const mandateSigningKey = (config: Config): KeyObject => keyOf(config).key;

type Signed = Pick<Mandate, "mandate_id" | "customer_id" | "max_amount" | "expires_at">;

/**
 * Base64 HMAC-SHA256 over `mandate_id:customer_id:max_amount:expires_at`, keyed with the tenant's
 * JWT secret.
 */
export const signMandate = (
  ctx: Ctx,
  tenant: Tenant,
  { mandate_id: id, customer_id: customerId, max_amount: maxAmount, expires_at: expiresAt }: Signed,
): string => signAsTenant(ctx.config, tenant, `${id}:${customerId}:${maxAmount}:${expiresAt}`);

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JWS over the mandate as created, its store and its issuer. */
export function proveMandate(ctx: Ctx, tenant: Tenant, mandate: Omit<Mandate, "proof">): string {
  const { key, jwk } = keyOf(ctx.config);
  const signed = `${encode({ alg: "ES256", typ: "mandate+jwt", kid: jwk.kid })}.${encode({ iss: ctx.baseUrl, shop: tenant.shop, ...mandate })}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}
