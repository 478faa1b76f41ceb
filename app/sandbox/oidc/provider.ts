/**
 * A stateful OpenID provider, used twice: as the federated provider and as a storefront's customer
 * accounts. It knows no addresses: its owner passes the realm and the endpoint with each call.
 */
import { json, text } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import { authorizeSignIn } from "./authorize.ts";
import { createFlawBook } from "./flaws.ts";
import type { OidcFlaw } from "./flaws.ts";
import { makeIdToken } from "./id-token.ts";
import { createKeyRing } from "./keys.ts";
import { personClaims } from "./people.ts";
import type { OidcClient, Person, Realm } from "./people.ts";
import { createRecords } from "./records.ts";
import { signOut } from "./sign-out.ts";
import { createGrants } from "./token.ts";

export type OidcEndpoint = "discovery" | "authorize" | "token" | "jwks" | "userinfo" | "logout";
export type OidcSettings = {
  /** The authorize page answers at once: as `login_hint`, else as the first user. */
  autoApprove: boolean;
  tokenLifetimeSeconds: number;
  /**
   * How a client with a secret authenticates, as the discovery document announces it; null: the document
   * does not say, so only client_secret_basic is accepted.
   */
  clientAuthMethods: ("client_secret_basic" | "client_secret_post")[] | null;
  /** Whether ID tokens have the email claims. */
  hasEmailClaim: boolean;
};

export const OIDC_DEFAULTS: OidcSettings = {
  autoApprove: false,
  tokenLifetimeSeconds: 3600,
  clientAuthMethods: ["client_secret_post", "client_secret_basic"],
  hasEmailClaim: true,
};
export type OidcProviderParts = {
  name: string;
  client: () => OidcClient;
  appUrl: () => string;
  settings: OidcSettings;
};

export function createOidcProvider({ name, client, appUrl, settings }: OidcProviderParts) {
  const keys = createKeyRing(name);
  const flaws = createFlawBook();
  const grants = createGrants();
  const records = createRecords();
  const soundTokens = new Map<string, string>();

  const authMethods = (): string[] | null =>
    client().clientSecret === null ? ["none"] : settings.clientAuthMethods;

  const idTokenFor = (
    realm: Realm,
    person: Person,
    scopes: string[],
    nonce: string | null,
  ): string | undefined => {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: realm.issuer,
      aud: client().clientId,
      ...personClaims(
        person,
        settings.hasEmailClaim ? scopes : scopes.filter((scope) => scope !== "email"),
      ),
      ...(nonce !== null && { nonce }),
      iat: now,
      exp: now + settings.tokenLifetimeSeconds,
      ...flaws.take("claims"),
    };
    const flaw = flaws.take("idToken");
    const token = makeIdToken(claims, flaw, {
      keys,
      clientSecret: client().clientSecret,
      previous: soundTokens.get(realm.issuer),
    });
    if (token !== undefined && flaw === undefined) soundTokens.set(realm.issuer, token);
    return token;
  };

  const authorize = (realm: Realm, call: Call): ApiResponse =>
    authorizeSignIn(realm, call, {
      client: client(),
      autoApprove: settings.autoApprove,
      takeFlaw: () => flaws.take("callback"),
      issueCode: (request, person) => {
        records.signIns.add({
          issuer: realm.issuer,
          realm: realm.name,
          sub: person.sub,
          email: person.email,
        });
        return grants.issueCode(realm, client(), request, person);
      },
    });

  const token = (realm: Realm, call: Call): ApiResponse | Promise<ApiResponse> => {
    records.tokenCalls.add({ issuer: realm.issuer, headers: call.headers, body: call.body });
    const flaw = flaws.take("token");
    if (flaw !== undefined && flaw !== "lose_reply") return misbehave(flaw);
    const reply = grants.answer(realm, call, {
      client: client(),
      tokenLifetimeSeconds: settings.tokenLifetimeSeconds,
      authMethods: authMethods() ?? ["client_secret_basic"],
      makeIdToken: (person, scopes, nonce) => idTokenFor(realm, person, scopes, nonce),
    });
    return flaw === "lose_reply" ? json(502, { error: "bad_gateway" }) : reply;
  };

  const discovery = (realm: Realm): ApiResponse | Promise<ApiResponse> => {
    records.fetches.discovery += 1;
    const flaw = flaws.take("discovery");
    if (flaw !== undefined && flaw !== "issuer_mismatch") return misbehave(flaw);
    const document = discoveryDocument(realm, authMethods());
    return json(200, {
      ...document,
      ...(flaw === "issuer_mismatch" && { issuer: "https://issuer.example" }),
    });
  };

  const jwks = (): ApiResponse | Promise<ApiResponse> => {
    records.fetches.jwks += 1;
    const flaw = flaws.take("jwks");
    if (flaw === undefined) return json(200, keys.jwks());
    return flaw === "empty" ? json(200, { keys: [] }) : misbehave(flaw);
  };

  const userinfo = (realm: Realm, call: Call): ApiResponse | Promise<ApiResponse> => {
    const flaw = flaws.take("userinfo");
    if (flaw !== undefined && flaw !== "other_subject" && flaw !== "no_subject")
      return misbehave(flaw);
    const grant = grants.findGrant(
      realm,
      /^Bearer (.+)$/i.exec(call.headers.authorization ?? "")?.[1] ?? "",
    );
    if (!grant)
      return json(
        401,
        { error: "invalid_token" },
        { "www-authenticate": 'Bearer error="invalid_token"' },
      );
    return json(200, {
      ...personClaims(grant.person, grant.scopes),
      ...(flaw && { sub: flaw === "other_subject" ? "another-subject" : undefined }),
    });
  };

  const logout = (realm: Realm, call: Call): ApiResponse =>
    signOut(realm, call, {
      appUrl: appUrl(),
      endSignIn({ sub, back }) {
        records.signOuts.add({ issuer: realm.issuer, sub, postLogoutRedirectUri: back });
        if (sub !== null) grants.signOut(realm, sub);
      },
    });

  return {
    answer(realm: Realm, endpoint: OidcEndpoint, call: Call): ApiResponse | Promise<ApiResponse> {
      if (endpoint === "token") return token(realm, call);
      if (call.method !== "GET") return text(405, "Use GET");
      if (endpoint === "userinfo") return userinfo(realm, call);
      if (endpoint === "discovery") return discovery(realm);
      if (endpoint === "jwks") return jwks();
      return endpoint === "logout" ? logout(realm, call) : authorize(realm, call);
    },
    findGrant: grants.findGrant,
    controls: {
      settings,
      /**
       * Plans the flaw for the next `times` ID tokens, calls or redirects; each place has its own
       * queue.
       */
      next: (flaw: OidcFlaw, times = 1): void => flaws.plan(flaw, times),
      clearFlaws: (): void => flaws.clear(),
      /**
       * Adds a new signing key and returns its `kid`; without `keepOld` the earlier keys leave the
       * key set at once, and with `keepsId` the new one has the `kid` of the last.
       */
      rotateKeys: ({
        keepOld = true,
        keepsId = false,
      }: { keepOld?: boolean; keepsId?: boolean } = {}): string =>
        keys.rotate({ keepOld, keepsId }),
      expireCodes: (): void => grants.expireCodes(),
      jwksFetches: (): number => records.fetches.jwks,
      discoveryFetches: (): number => records.fetches.discovery,
      tokenCalls: records.tokenCalls.all,
      signIns: records.signIns.all,
      logouts: records.signOuts.all,
    },
  };
}

/** `authMethods`: null where the document does not say them. */
function discoveryDocument(realm: Realm, authMethods: string[] | null): Record<string, unknown> {
  return {
    issuer: realm.issuer,
    ...realm.endpoints,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    scopes_supported: ["openid", "email", "profile"],
    ...(authMethods && { token_endpoint_auth_methods_supported: authMethods }),
    claims_supported: ["aud", "email", "email_verified", "exp", "iat", "iss", "name", "sub"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}

function misbehave(flaw: number | "hang" | "garbage"): ApiResponse | Promise<ApiResponse> {
  if (typeof flaw === "number") return json(flaw, { error: "server_error" });
  // No answer; the connection ends when the caller gives up or the sandbox stops.
  if (flaw === "hang") return new Promise<ApiResponse>(() => undefined);
  return { status: 200, headers: { "content-type": "application/json" }, body: '{"id_token":"ey' };
}
