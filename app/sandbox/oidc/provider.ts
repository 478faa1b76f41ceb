/**
 * A stateful OpenID provider, used twice: as the federated provider and as a storefront's customer
 * accounts. It knows no addresses: its owner passes the realm and the endpoint with each call.
 */
import { json, text } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import { authorizeSignIn } from "./authorize.ts";
import { brokenReply } from "./broken-reply.ts";
import { answerDiscovery, answerJwks } from "./discovery.ts";
import type { OidcFlaw } from "./flaws.ts";
import { issueIdToken } from "./issue-id-token.ts";
import type { Realm } from "./people.ts";
import {
  authMethodsOf,
  createProviderState,
  type OidcProviderParts,
  type ProviderState,
} from "./provider-state.ts";
import { signOut } from "./sign-out.ts";
import { answerTokenCall } from "./token.ts";
import { answerUserinfo } from "./userinfo.ts";

export type OidcEndpoint = "discovery" | "authorize" | "token" | "jwks" | "userinfo" | "logout";

export function createOidcProvider(parts: OidcProviderParts) {
  const provider = createProviderState(parts);
  return {
    answer(realm: Realm, endpoint: OidcEndpoint, call: Call): ApiResponse | Promise<ApiResponse> {
      if (endpoint === "token") return token(provider, realm, call);
      if (call.method !== "GET") return text(405, "Use GET");
      if (endpoint === "userinfo") return answerUserinfo(provider, realm, call);
      if (endpoint === "discovery") return answerDiscovery(provider, realm);
      if (endpoint === "jwks") return answerJwks(provider);
      return endpoint === "logout"
        ? logout(provider, realm, call)
        : authorize(provider, realm, call);
    },
    findGrant: provider.grants.findGrant,
    controls: createControls(provider),
  };
}

function authorize(provider: ProviderState, realm: Realm, call: Call): ApiResponse {
  const { flaws, grants, records, settings } = provider;
  const client = provider.client();
  return authorizeSignIn(realm, call, {
    client,
    autoApprove: settings.autoApprove,
    takeFlaw: () => flaws.take("callback"),
    issueCode: (request, person) => {
      records.signIns.add({
        issuer: realm.issuer,
        realm: realm.name,
        sub: person.sub,
        email: person.email,
      });
      return grants.issueCode(realm, { clientId: client.clientId, request, person });
    },
  });
}

function token(
  provider: ProviderState,
  realm: Realm,
  call: Call,
): ApiResponse | Promise<ApiResponse> {
  const { flaws, grants, records, settings } = provider;
  records.tokenCalls.add({ issuer: realm.issuer, headers: call.headers, body: call.body });
  const flaw = flaws.take("token");
  if (flaw !== undefined && flaw !== "lose_reply") return brokenReply(flaw);
  const reply = answerTokenCall(realm, call, {
    grants,
    client: provider.client(),
    tokenLifetimeSeconds: settings.tokenLifetimeSeconds,
    authMethods: authMethodsOf(provider) ?? ["client_secret_basic"],
    makeIdToken: (signedIn) => issueIdToken(provider, realm, signedIn),
  });
  return flaw === "lose_reply" ? json(502, { error: "bad_gateway" }) : reply;
}

function logout({ appUrl, grants, records }: ProviderState, realm: Realm, call: Call): ApiResponse {
  return signOut(realm, call, {
    appUrl: appUrl(),
    endSignIn({ sub, back }) {
      records.signOuts.add({ issuer: realm.issuer, sub, postLogoutRedirectUri: back });
      if (sub !== null) grants.signOut(realm, sub);
    },
  });
}

/** What a test or the console may set, plan and read. */
function createControls({ settings, flaws, keys, grants, records }: ProviderState) {
  return {
    settings,
    /** Plans the flaw for the next `times` ID tokens, calls or redirects; each place has its own queue. */
    next: (flaw: OidcFlaw, times = 1): void => flaws.plan(flaw, times),
    clearFlaws: (): void => flaws.clear(),
    /**
     * Adds a new signing key and returns its `kid`; without `keepOld` the earlier keys leave the
     * key set at once, and with `keepsId` the new one has the `kid` of the last.
     */
    rotateKeys: ({
      keepOld = true,
      keepsId = false,
    }: { keepOld?: boolean; keepsId?: boolean } = {}): string => keys.rotate({ keepOld, keepsId }),
    expireCodes: (): void => grants.expireCodes(),
    jwksFetches: (): number => records.fetches.jwks,
    discoveryFetches: (): number => records.fetches.discovery,
    tokenCalls: records.tokenCalls.all,
    signIns: records.signIns.all,
    logouts: records.signOuts.all,
  };
}
