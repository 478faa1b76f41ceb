// ID token validation (OpenID Connect Core 3.1.3.7): signature with the provider's published keys,
// issuer, audience, times and nonce; all are required. And the claims that the token leaves to the provider's
// user info.
import { jwtVerify } from "jose";
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { OidcMetadata } from "../../../integrations/oidc.ts";
import { ASYMMETRIC_ALGORITHMS } from "../../../runtime/asymmetric-algorithms.ts";
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import { secretEquals } from "../../../runtime/secrets.ts";

const TOLERANCE_SECONDS = 30;
const MAX_AGE_SECONDS = 600;

/** No part of an identity, and the database refuses some of them: lone surrogates among them. */
const UNUSABLE = /[\p{Cc}\p{Cs}]/u;
const isUsable = (text: string): boolean => !UNUSABLE.test(text);

const MAX_NAME_CHARACTERS = 400;
const cut = (name: string): string => Array.from(name).slice(0, MAX_NAME_CHARACTERS).join("");

/** Some providers send null for a claim that they do not have. */
const PersonClaims = z.looseObject({
  sub: z.string().min(1).max(255).refine(isUsable),
  email: z.string().refine(isUsable).nullish(),
  // Some providers send it as a string.
  email_verified: z
    .union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")])
    .nullish(),
  // Decoration: whatever a provider sends here, the person signs in.
  name: z.string().transform(cut).nullish().catch(null),
  picture: z.string().max(2_000).refine(isUsable).nullish().catch(null),
});
const Claims = PersonClaims.extend({ nonce: z.string(), azp: z.string().nullish() });

const UserInfo = z.looseObject({ sub: z.string() });

export type IdentityClaims = z.output<typeof Claims> & { issuer: string };

export class InvalidIdToken extends Error {
  override name = "InvalidIdToken";
}

type Expected = {
  system: string;
  metadata: OidcMetadata;
  clientId: string;
  nonce: string;
  isTenantAddress: boolean;
};

export async function verifyIdToken(
  ctx: Ctx,
  token: string,
  expected: Expected,
): Promise<IdentityClaims> {
  const { metadata, clientId, isTenantAddress } = expected;
  // One well-known provider sends its issuer with and without the scheme.
  const issuers = [
    metadata.issuer,
    ...(metadata.issuer === "https://accounts.google.com" ? ["accounts.google.com"] : []),
  ];
  let payload: unknown;
  try {
    const keySet = { url: metadata.jwks_uri, isTenantAddress };
    const verified = await ctx.oidc.verify(expected.system, keySet, (keys) =>
      jwtVerify(token, keys, {
        algorithms: ASYMMETRIC_ALGORITHMS,
        issuer: issuers,
        audience: clientId,
        clockTolerance: TOLERANCE_SECONDS,
        maxTokenAge: MAX_AGE_SECONDS,
        requiredClaims: ["exp", "iat", "sub", "nonce"],
        currentDate: ctx.clock.now(),
      }),
    );
    payload = verified.payload;
  } catch (error) {
    if (error instanceof OutboundError || isAppError(error)) throw error;
    throw new InvalidIdToken((error as Error).message);
  }
  const claims = Claims.safeParse(payload);
  if (!claims.success) throw new InvalidIdToken("a claim is missing or malformed");
  if (!secretEquals(claims.data.nonce, expected.nonce))
    throw new InvalidIdToken("the nonce is another one");
  const isForSeveral = Array.isArray(claims.data.aud) && claims.data.aud.length > 1;
  const azp = claims.data.azp ?? null;
  if ((isForSeveral || azp !== null) && azp !== clientId)
    throw new InvalidIdToken("the token was issued to another client");
  return { ...claims.data, issuer: metadata.issuer };
}

/**
 * The claims with the address, its proof, name and picture of the provider's user info, where the ID token
 * has no address: in the code flow a provider may send them there alone (5.4). Null for the address says that there is none.
 * Throws an OutboundError when the user info cannot be had.
 */
export async function completeClaims(
  ctx: Ctx,
  claims: IdentityClaims,
  accessToken: string | undefined,
  { system, metadata, isTenantAddress }: Omit<Expected, "clientId" | "nonce">,
): Promise<IdentityClaims> {
  if (claims.email !== undefined || !accessToken) return claims;
  const answer = await ctx.oidc.userInfo(system, metadata, accessToken, isTenantAddress);
  // User info without a subject is about nobody, and is ignored.
  if (!UserInfo.safeParse(answer).success) return claims;
  const info = PersonClaims.safeParse(answer);
  if (!info.success) throw new InvalidIdToken("a claim of the user info is missing or malformed");
  // The user info of another subject must not be used (5.3.2).
  if (info.data.sub !== claims.sub) throw new InvalidIdToken("the user info is another person's");
  const { email, email_verified, name, picture } = info.data;
  return {
    ...claims,
    email,
    email_verified,
    name: claims.name ?? name,
    picture: claims.picture ?? picture,
  };
}
