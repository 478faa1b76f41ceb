/**
 * The token endpoint: one-time codes bound to client, redirect URI and challenge, and rotating
 * refresh tokens (RFC 6749, 7636).
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { fieldsOf, json, textOf } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import { isClient } from "./client-authentication.ts";
import type { Grants, OidcGrant } from "./grants.ts";
import type { SignedInPerson } from "./issue-id-token.ts";
import type { OidcClient, Realm } from "./people.ts";

type TokenRules = {
  grants: Grants;
  client: OidcClient;
  tokenLifetimeSeconds: number;
  /** How the client may authenticate: `none`, `client_secret_basic`, `client_secret_post`. */
  authMethods: string[];
  makeIdToken(signedIn: SignedInPerson): string | undefined;
};

const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" };

export function answerTokenCall(realm: Realm, call: Call, rules: TokenRules): ApiResponse {
  if (call.method !== "POST") return refusal(405, "invalid_request", "Use POST");
  if (!call.headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
    return refusal(400, "invalid_request", "The body must be form-encoded");
  const fields = fieldsOf(call.body);
  if (!isClient(call, fields, rules))
    return refusal(401, "invalid_client", "The client id or client secret is wrong");
  switch (fields["grant_type"]) {
    case "authorization_code":
      return redeemCode(realm, fields, rules);
    case "refresh_token":
      return refreshGrant(realm, fields, rules);
    default:
      return refusal(
        400,
        "unsupported_grant_type",
        `Unknown grant_type ${textOf(fields["grant_type"])}`,
      );
  }
}

function redeemCode(realm: Realm, fields: Record<string, unknown>, rules: TokenRules): ApiResponse {
  const { grants, client } = rules;
  const code = grants.findCode(realm, textOf(fields["code"]));
  if (!code || code.clientId !== client.clientId) return invalidGrant("The code is unknown");
  if (code.isUsed) {
    // RFC 6749 4.1.2: a code used twice may have been stolen, so the tokens issued for it are revoked.
    grants.revoke(code.grant);
    return invalidGrant("The code was used before");
  }
  code.isUsed = true;
  if (code.expiresAt <= Date.now()) return invalidGrant("The code has expired");
  if (code.request.redirectUri !== fields["redirect_uri"])
    return invalidGrant("The redirect_uri is not the one of the authorization request");
  if (!isVerified(code.request.codeChallenge, fields["code_verifier"]))
    return invalidGrant("The code_verifier does not match");
  const { scopes, nonce } = code.request;
  code.grant = addGrant(realm, { person: code.person, scopes }, rules);
  return issueTokens(code.grant, nonce, rules);
}

function refreshGrant(
  realm: Realm,
  fields: Record<string, unknown>,
  rules: TokenRules,
): ApiResponse {
  const old = rules.grants.findByRefreshToken(realm, textOf(fields["refresh_token"]));
  if (!old) return invalidGrant("The refresh token is unknown or was used before");
  rules.grants.revoke(old);
  return issueTokens(addGrant(realm, old, rules), null, rules);
}

function addGrant(
  realm: Realm,
  { person, scopes }: Pick<OidcGrant, "person" | "scopes">,
  { grants, client, tokenLifetimeSeconds }: TokenRules,
): OidcGrant {
  return grants.add(realm, {
    person,
    scopes,
    clientId: client.clientId,
    lifetimeSeconds: tokenLifetimeSeconds,
  });
}

function issueTokens(grant: OidcGrant, nonce: string | null, rules: TokenRules): ApiResponse {
  const idToken = rules.makeIdToken({ person: grant.person, scopes: grant.scopes, nonce });
  const body = {
    access_token: grant.accessToken,
    token_type: "Bearer",
    expires_in: rules.tokenLifetimeSeconds,
    refresh_token: grant.refreshToken,
    scope: grant.scopes.join(" "),
    ...(idToken !== undefined && { id_token: idToken }),
  };
  return json(200, body, NO_STORE);
}

function isVerified(challenge: string | null, verifier: unknown): boolean {
  if (challenge === null) return verifier === undefined;
  if (typeof verifier !== "string" || !/^[\w.~-]{43,128}$/.test(verifier)) return false;
  const digest = createHash("sha256").update(verifier).digest("base64url");
  return (
    digest.length === challenge.length &&
    timingSafeEqual(Buffer.from(digest), Buffer.from(challenge))
  );
}

function invalidGrant(description: string): ApiResponse {
  return refusal(400, "invalid_grant", description);
}

function refusal(status: number, error: string, description: string): ApiResponse {
  return json(status, { error, error_description: description }, NO_STORE);
}
