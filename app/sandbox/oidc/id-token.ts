/**
 * ID tokens as the provider signs them, and the ways a forged or broken one differs (OpenID Connect Core
 * 3.1.3.7).
 */
import { createHmac, randomUUID, sign } from "node:crypto";
import { encodeJwt } from "./keys.ts";
import type { KeyRing, SigningKey } from "./keys.ts";

type Claims = Record<string, unknown>;

const HOUR_SECONDS = 3600;
const HUGE_CHARACTERS = 2_000_000;
const seconds = (): number => Math.floor(Date.now() / 1000);
const without = (claims: Claims, name: string): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));

const CLAIM_FLAWS = {
  wrong_audience: (claims: Claims) => ({ ...claims, aud: "another-client" }),
  /**
   * Our client and another one, without the `azp` claim that would say which one the token is for.
   */
  several_audiences: (claims: Claims) => ({ ...claims, aud: [claims["aud"], "another-client"] }),
  wrong_issuer: (claims: Claims) => ({ ...claims, iss: "https://issuer.example" }),
  expired: (claims: Claims) => ({
    ...claims,
    iat: seconds() - 2 * HOUR_SECONDS,
    exp: seconds() - HOUR_SECONDS,
  }),
  no_expiry: (claims: Claims) => without(claims, "exp"),
  issued_in_future: (claims: Claims) => ({
    ...claims,
    iat: seconds() + HOUR_SECONDS,
    exp: seconds() + 2 * HOUR_SECONDS,
  }),
  no_issued_at: (claims: Claims) => without(claims, "iat"),
  no_nonce: (claims: Claims) => without(claims, "nonce"),
  other_nonce: (claims: Claims) => ({ ...claims, nonce: randomUUID() }),
  no_subject: (claims: Claims) => without(claims, "sub"),
  no_email: (claims: Claims) => without(without(claims, "email"), "email_verified"),
  other_email: (claims: Claims) => ({ ...claims, email: "someone.else@shopper.example" }),
  email_unverified: (claims: Claims) => ({ ...claims, email_verified: false }),
  email_verified_absent: (claims: Claims) => without(claims, "email_verified"),
  email_verified_text: (claims: Claims) => ({ ...claims, email_verified: "true" }),
  huge: (claims: Claims) => ({ ...claims, padding: "x".repeat(HUGE_CHARACTERS) }),
} as const;

const SIGNATURE_FLAWS = {
  unsigned: (claims: Claims) =>
    encodeJwt({ alg: "none", typ: "JWT" }, claims, () => Buffer.alloc(0)),
  /** Signed by HMAC with the public key's PEM text as the secret (algorithm confusion). */
  hs256_public_key: (claims: Claims, { keys }: Signer) =>
    hs256(
      claims,
      keys.current().kid,
      keys.current().publicKey.export({ type: "spki", format: "pem" }),
    ),
  hs256_client_secret: (claims: Claims, { keys, clientSecret }: Signer) =>
    hs256(claims, keys.current().kid, clientSecret ?? ""),
  /** An unpublished key under a new `kid` each time. */
  unknown_kid: (claims: Claims, { keys }: Signer) =>
    rs256(claims, { ...keys.foreign(), kid: randomUUID() }),
  /** An unpublished key under a published `kid`. */
  foreign_key: (claims: Claims, { keys }: Signer) =>
    rs256(claims, { ...keys.foreign(), kid: keys.current().kid }),
  /** The token of the previous sign-in. */
  replay: (_: Claims, { previous }: Signer) => {
    if (previous === undefined) throw new Error("Nothing to replay: there was no earlier sign-in");
    return previous;
  },
  absent: () => undefined,
  malformed: () => "not.a.token",
} as const;

export type IdTokenFlaw = keyof typeof CLAIM_FLAWS | keyof typeof SIGNATURE_FLAWS;
export type Signer = { keys: KeyRing; clientSecret: string | null; previous: string | undefined };

export const ID_TOKEN_FLAWS = [
  ...Object.keys(CLAIM_FLAWS),
  ...Object.keys(SIGNATURE_FLAWS),
] as IdTokenFlaw[];

export function makeIdToken(
  claims: Claims,
  flaw: IdTokenFlaw | undefined,
  signer: Signer,
): string | undefined {
  if (flaw === undefined) return rs256(claims, signer.keys.current());
  if (flaw in SIGNATURE_FLAWS)
    return SIGNATURE_FLAWS[flaw as keyof typeof SIGNATURE_FLAWS](claims, signer);
  return rs256(CLAIM_FLAWS[flaw as keyof typeof CLAIM_FLAWS](claims), signer.keys.current());
}

function rs256(claims: Claims, key: SigningKey): string {
  return encodeJwt({ alg: "RS256", typ: "JWT", kid: key.kid }, claims, (input) =>
    sign("RSA-SHA256", Buffer.from(input), key.privateKey),
  );
}

function hs256(claims: Claims, kid: string, secret: string | Buffer): string {
  return encodeJwt({ alg: "HS256", typ: "JWT", kid }, claims, (input) =>
    createHmac("sha256", secret).update(input).digest(),
  );
}
