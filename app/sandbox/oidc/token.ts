/**
 * The token endpoint: one-time codes bound to client, redirect URI and challenge, and rotating
 * refresh tokens (RFC 6749, 7636).
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { fieldsOf, json, textOf } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { AuthorizationRequest } from "./authorize.ts";
import type { OidcClient, Person, Realm } from "./people.ts";

export type OidcGrant = {
  issuer: string;
  person: Person;
  scopes: string[];
  clientId: string;
  accessToken: string;
  refreshToken: string;
  accessExpiresAt: number;
};

type Code = {
  code: string;
  issuer: string;
  clientId: string;
  request: AuthorizationRequest;
  person: Person;
  expiresAt: number;
  isUsed: boolean;
  grant?: OidcGrant;
};

export type TokenRules = {
  client: OidcClient;
  tokenLifetimeSeconds: number;
  /** How the client may authenticate: `none`, `client_secret_basic`, `client_secret_post`. */
  authMethods: string[];
  makeIdToken(person: Person, scopes: string[], nonce: string | null): string | undefined;
};

const CODE_LIFETIME_MS = 60_000;
const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" };

export function createGrants() {
  let codes: Code[] = [];
  let grants: OidcGrant[] = [];

  const revoke = (revoked: (grant: OidcGrant) => boolean): void => {
    grants = grants.filter((grant) => !revoked(grant));
  };

  const redeem = (
    realm: Realm,
    fields: Record<string, unknown>,
    rules: TokenRules,
  ): ApiResponse => {
    const code = codes.find(
      (candidate) => candidate.code === textOf(fields["code"]) && candidate.issuer === realm.issuer,
    );
    if (!code || code.clientId !== rules.client.clientId)
      return invalidGrant("The code is unknown");
    if (code.isUsed) {
      // RFC 6749 4.1.2: a code used twice may have been stolen, so the tokens issued for it are revoked.
      revoke((grant) => grant === code.grant);
      return invalidGrant("The code was used before");
    }
    code.isUsed = true;
    if (code.expiresAt <= Date.now()) return invalidGrant("The code has expired");
    if (code.request.redirectUri !== fields["redirect_uri"])
      return invalidGrant("The redirect_uri is not the one of the authorization request");
    if (!isVerified(code.request.codeChallenge, fields["code_verifier"]))
      return invalidGrant("The code_verifier does not match");
    code.grant = newGrant(realm, code.person, code.request.scopes, rules);
    return answer(code.grant, code.request.nonce, rules);
  };

  const refresh = (
    realm: Realm,
    fields: Record<string, unknown>,
    rules: TokenRules,
  ): ApiResponse => {
    const old = grants.find(
      (grant) =>
        grant.refreshToken === textOf(fields["refresh_token"]) && grant.issuer === realm.issuer,
    );
    if (!old) return invalidGrant("The refresh token is unknown or was used before");
    revoke((grant) => grant === old);
    return answer(newGrant(realm, old.person, old.scopes, rules), null, rules);
  };

  const newGrant = (
    realm: Realm,
    person: Person,
    scopes: string[],
    { client, tokenLifetimeSeconds }: TokenRules,
  ): OidcGrant => {
    const grant = {
      issuer: realm.issuer,
      person,
      scopes,
      clientId: client.clientId,
      accessToken: `sandbox-person-${randomBytes(24).toString("hex")}`,
      refreshToken: `sandbox-person-refresh-${randomBytes(24).toString("hex")}`,
      accessExpiresAt: Date.now() + tokenLifetimeSeconds * 1000,
    };
    grants.push(grant);
    return grant;
  };

  return {
    issueCode(
      realm: Realm,
      client: OidcClient,
      request: AuthorizationRequest,
      person: Person,
    ): string {
      const code = randomBytes(24).toString("base64url");
      codes = codes.filter(({ expiresAt }) => expiresAt > Date.now() - CODE_LIFETIME_MS);
      codes.push({
        code,
        issuer: realm.issuer,
        clientId: client.clientId,
        request,
        person,
        expiresAt: Date.now() + CODE_LIFETIME_MS,
        isUsed: false,
      });
      return code;
    },
    /** Expires all issued codes that are not yet redeemed. */
    expireCodes(): void {
      for (const code of codes) code.expiresAt = Date.now();
    },
    findGrant: (realm: Realm, accessToken: string): OidcGrant | undefined =>
      grants.find(
        (grant) =>
          grant.issuer === realm.issuer &&
          grant.accessToken === accessToken &&
          grant.accessExpiresAt > Date.now(),
      ),
    signOut: (realm: Realm, sub: string): void =>
      revoke((grant) => grant.issuer === realm.issuer && grant.person.sub === sub),

    answer(realm: Realm, call: Call, rules: TokenRules): ApiResponse {
      if (call.method !== "POST") return refusal(405, "invalid_request", "Use POST");
      if (!call.headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
        return refusal(400, "invalid_request", "The body must be form-encoded");
      const fields = fieldsOf(call.body);
      if (!isClient(call, fields, rules))
        return refusal(401, "invalid_client", "The client id or client secret is wrong");
      switch (fields["grant_type"]) {
        case "authorization_code":
          return redeem(realm, fields, rules);
        case "refresh_token":
          return refresh(realm, fields, rules);
        default:
          return refusal(
            400,
            "unsupported_grant_type",
            `Unknown grant_type ${textOf(fields["grant_type"])}`,
          );
      }
    },
  };
}

function answer(grant: OidcGrant, nonce: string | null, rules: TokenRules): ApiResponse {
  const idToken = rules.makeIdToken(grant.person, grant.scopes, nonce);
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

/** One announced method, never two; a public client sends its id and no secret. */
function isClient(
  call: Call,
  fields: Record<string, unknown>,
  { client, authMethods }: TokenRules,
): boolean {
  const { clientId, clientSecret } = client;
  const { authorization } = call.headers;
  if (authorization === undefined) {
    const method = "client_secret" in fields ? "client_secret_post" : "none";
    return (
      authMethods.includes(method) &&
      fields["client_id"] === clientId &&
      (method === "none" || fields["client_secret"] === clientSecret)
    );
  }
  const basic = /^Basic (.+)$/i.exec(authorization)?.[1];
  if (basic === undefined || "client_secret" in fields) return false;
  const [id, secret] = Buffer.from(basic, "base64").toString("utf8").split(":");
  return (
    authMethods.includes("client_secret_basic") &&
    (fields["client_id"] ?? clientId) === clientId &&
    formDecode(id) === clientId &&
    formDecode(secret) === clientSecret
  );
}

/** RFC 6749 2.3.1: both halves are form-encoded before they are joined. */
function formDecode(part: string | undefined): string {
  return new URLSearchParams(`v=${part ?? ""}`).get("v") ?? "";
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
