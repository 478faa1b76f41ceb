/**
 * An OpenID provider with state, played twice: as the federated one and as a storefront's customer accounts.
 * It knows no addresses: whoever owns it says which realm and which endpoint a call is for.
 */
import type { IncomingHttpHeaders } from "node:http";
import { json, redirect, page, text } from "./exchange.ts";
import type { Call, Reply } from "./exchange.ts";
import { isOriginOf } from "./loopback-guard.ts";
import { authorizeSignIn } from "./oidc-authorize.ts";
import { createFlawBook } from "./oidc-flaws.ts";
import type { OidcFlaw } from "./oidc-flaws.ts";
import { makeIdToken } from "./oidc-id-token.ts";
import { createKeyRing, decodeClaims } from "./oidc-keys.ts";
import { personClaims } from "./oidc-people.ts";
import type { OidcClient, Person, Realm } from "./oidc-people.ts";
import { signedOutPage } from "./oidc-sign-in-page.ts";
import { createGrants } from "./oidc-token.ts";

export type OidcEndpoint = "discovery" | "authorize" | "token" | "jwks" | "userinfo" | "logout";
export type OidcSettings = {
  /** The authorize page answers at once: as `login_hint`, else as the first person. */ autoApprove: boolean;
  tokenLifetimeSeconds: number;
};
export type TokenCall = { at: string; issuer: string; headers: IncomingHttpHeaders; body: unknown };
export type SignIn = {
  at: string;
  issuer: string;
  realm: string;
  sub: string;
  email: string | null;
};
export type SignOut = {
  at: string;
  issuer: string;
  sub: string | null;
  postLogoutRedirectUri: string | null;
};

const KEPT = 500;

export type OidcProviderParts = {
  client: () => OidcClient;
  appUrl: () => string;
  settings: OidcSettings;
};

export function createOidcProvider({ client, appUrl, settings }: OidcProviderParts) {
  const keys = createKeyRing();
  const flaws = createFlawBook();
  const grants = createGrants();
  const fetches = { jwks: 0, discovery: 0 };
  const tokenCalls: TokenCall[] = [];
  const signIns: SignIn[] = [];
  const signOuts: SignOut[] = [];
  const soundTokens = new Map<string, string>();

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
      ...personClaims(person, scopes),
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

  const authorize = (realm: Realm, call: Call): Reply =>
    authorizeSignIn(realm, call, {
      client: client(),
      appUrl: appUrl(),
      autoApprove: settings.autoApprove,
      takeFlaw: () => flaws.take("callback"),
      issueCode: (request, person) => {
        keep(signIns, {
          at: new Date().toISOString(),
          issuer: realm.issuer,
          realm: realm.name,
          sub: person.sub,
          email: person.email,
        });
        return grants.issueCode(realm, client(), request, person);
      },
    });

  const token = (realm: Realm, call: Call): Reply | Promise<Reply> => {
    keep(tokenCalls, {
      at: new Date().toISOString(),
      issuer: realm.issuer,
      headers: call.headers,
      body: call.body,
    });
    const flaw = flaws.take("token");
    if (flaw !== undefined && flaw !== "lose_reply") return misbehave(flaw);
    const reply = grants.answer(realm, call, {
      client: client(),
      tokenLifetimeSeconds: settings.tokenLifetimeSeconds,
      makeIdToken: (person, scopes, nonce) => idTokenFor(realm, person, scopes, nonce),
    });
    return flaw === "lose_reply" ? json(502, { error: "bad_gateway" }) : reply;
  };

  const discovery = (realm: Realm): Reply | Promise<Reply> => {
    fetches.discovery += 1;
    const flaw = flaws.take("discovery");
    if (flaw !== undefined && flaw !== "issuer_mismatch") return misbehave(flaw);
    return json(200, {
      issuer: flaw === "issuer_mismatch" ? "https://issuer.example" : realm.issuer,
      ...realm.endpoints,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      scopes_supported: ["openid", "email", "profile"],
      token_endpoint_auth_methods_supported:
        client().clientSecret === null ? ["none"] : ["client_secret_post", "client_secret_basic"],
      claims_supported: ["aud", "email", "email_verified", "exp", "iat", "iss", "name", "sub"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    });
  };

  const jwks = (): Reply | Promise<Reply> => {
    fetches.jwks += 1;
    const flaw = flaws.take("jwks");
    if (flaw === undefined) return json(200, keys.jwks());
    return flaw === "empty" ? json(200, { keys: [] }) : misbehave(flaw);
  };

  const userinfo = (realm: Realm, call: Call): Reply | Promise<Reply> => {
    const flaw = flaws.take("userinfo");
    if (flaw !== undefined && flaw !== "other_subject") return misbehave(flaw);
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
      ...(flaw && { sub: "another-subject" }),
    });
  };

  const logout = (realm: Realm, call: Call): Reply => {
    const hint = call.query.get("id_token_hint");
    const back = call.query.get("post_logout_redirect_uri");
    if (hint === null)
      return json(400, {
        error: "invalid_request",
        error_description: "id_token_hint is required",
      });
    if (back !== null && !isOriginOf(appUrl(), back))
      return json(400, {
        error: "invalid_request",
        error_description: "The post_logout_redirect_uri is not registered",
      });
    const { sub } = decodeClaims(hint);
    keep(signOuts, {
      at: new Date().toISOString(),
      issuer: realm.issuer,
      sub: typeof sub === "string" ? sub : null,
      postLogoutRedirectUri: back,
    });
    if (typeof sub === "string") grants.signOut(realm, sub);
    if (back === null) return page(200, signedOutPage(realm));
    const target = new URL(back);
    const state = call.query.get("state");
    if (state !== null) target.searchParams.set("state", state);
    return redirect(target.href);
  };

  return {
    answer(realm: Realm, endpoint: OidcEndpoint, call: Call): Reply | Promise<Reply> {
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
      /** The next `times` ID tokens, calls or returns misbehave so; each place has its own queue. */
      next: (flaw: OidcFlaw, times = 1): void => flaws.plan(flaw, times),
      clearFlaws: (): void => flaws.clear(),
      /** A new signing key; without `keepOld` the earlier ones vanish from the key set at once. Gives the new `kid`. */
      rotateKeys: ({ keepOld = true }: { keepOld?: boolean } = {}): string => keys.rotate(keepOld),
      expireCodes: (): void => grants.expireCodes(),
      jwksFetches: (): number => fetches.jwks,
      discoveryFetches: (): number => fetches.discovery,
      tokenCalls: (): TokenCall[] => [...tokenCalls],
      signIns: (): SignIn[] => [...signIns],
      logouts: (): SignOut[] => [...signOuts],
    },
  };
}

function misbehave(flaw: number | "hang" | "garbage"): Reply | Promise<Reply> {
  if (typeof flaw === "number") return json(flaw, { error: "server_error" });
  // Nobody answers; the connection ends when the caller gives up or the sandbox stops.
  if (flaw === "hang") return new Promise<Reply>(() => undefined);
  return { status: 200, headers: { "content-type": "application/json" }, body: '{"id_token":"ey' };
}

function keep<Entry>(list: Entry[], entry: Entry): void {
  list.push(entry);
  if (list.length > KEPT) list.splice(0, list.length - KEPT);
}
