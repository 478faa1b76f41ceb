/** What the provider publishes: the discovery document (OpenID Connect Discovery 1.0) and its keys. */
import { json } from "../exchange.ts";
import type { ApiResponse } from "../exchange.ts";
import { brokenReply } from "./broken-reply.ts";
import type { Realm } from "./people.ts";
import { authMethodsOf, type ProviderState } from "./provider-state.ts";

export function answerDiscovery(
  provider: ProviderState,
  realm: Realm,
): ApiResponse | Promise<ApiResponse> {
  provider.records.fetches.discovery += 1;
  const flaw = provider.flaws.take("discovery");
  if (flaw !== undefined && flaw !== "issuer_mismatch") return brokenReply(flaw);
  return json(200, {
    ...discoveryDocument(realm, authMethodsOf(provider)),
    ...(flaw === "issuer_mismatch" && { issuer: "https://issuer.example" }),
  });
}

export function answerJwks({
  records,
  flaws,
  keys,
}: ProviderState): ApiResponse | Promise<ApiResponse> {
  records.fetches.jwks += 1;
  const flaw = flaws.take("jwks");
  if (flaw === undefined) return json(200, keys.jwks());
  return flaw === "empty" ? json(200, { keys: [] }) : brokenReply(flaw);
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
