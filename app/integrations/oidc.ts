// Client of any OpenID Connect provider (openid.net "OpenID Connect Core", "Discovery"): metadata,
// code exchange, user info; the signing keys are in oidc-keys.ts. The ID token is validated in domain/identity/oidc/id-token.ts.
import type { JWTVerifyGetKey } from "jose";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { OutboundError } from "../runtime/errors.ts";
import { parseAnswer, toStatusError } from "../runtime/outbound/answers.ts";
import type { Outbound } from "../runtime/outbound/outbound.ts";
import { withoutTrailingSlashes } from "../runtime/slashes.ts";
import { createKeySet, OIDC_TIMEOUT_MS, verifyWith, type KeySet } from "./oidc-keys.ts";
import { callWithin } from "./store-redirects.ts";

const METADATA_MS = 10 * 60_000;
const REMEMBERED = 500;

const Endpoint = z.url({ protocol: /^https?$/ });
const Metadata = z.looseObject({
  issuer: z.string().min(1),
  authorization_endpoint: Endpoint,
  token_endpoint: Endpoint,
  jwks_uri: Endpoint,
  userinfo_endpoint: Endpoint.optional().catch(undefined),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});
export type OidcMetadata = z.output<typeof Metadata>;

/** The ID token is as long as the bounded answer allows: some providers put a picture into it. */
const TokenAnswer = z.looseObject({
  id_token: z.string(),
  access_token: z.string().max(20_000).optional(),
});
type OidcTokens = z.output<typeof TokenAnswer>;

/**
 * `isTenantAddress`: a tenant configured the provider, so private addresses are refused, also those
 * in its metadata.
 */
export type OidcPlace = {
  url: string;
  /** The expected issuer; null when any issuer at this address is accepted. */
  issuer: string | null;
  isTenantAddress: boolean;
  /** Base addresses below which the metadata may redirect; absent: nowhere. */
  redirectsWithin?: readonly string[];
  /**
   * The endpoints of the issuer in place of those in the metadata; null for an issuer that is refused.
   * Absent: the metadata's own.
   */
  endpointsOf?: (issuer: string) => Partial<OidcMetadata> | null;
  /**
   * Taken, with its endpoints by `endpointsOf`, where the address refuses to answer, does not answer, or
   * answers something that is not JSON. Absent or null: that is an error.
   */
  knownIssuer?: string | null;
};

export type OidcClient = {
  /**
   * GETs the discovery document; cached for 10 minutes. Throws an OutboundError: `status`,
   * `timeout` after 6 s, `network`, `refused_address`, `foreign_redirect`, or `malformed` when a
   * required field is missing, the issuer is not the expected one or refused, or an https provider names an endpoint without https.
   * With a known issuer only a 404, a refused address, a foreign redirect and foreign or incomplete metadata throw.
   */
  discover(system: string, place: OidcPlace): Promise<OidcMetadata>;
  /** Drops the cached metadata. */
  forget(place: OidcPlace): void;
  /**
   * POSTs the authorization code with its PKCE verifier to the token endpoint; `origin` is sent as
   * the Origin header. Returns null when the provider rejects the code or the client (4xx). Throws
   * an OutboundError for retryable statuses, `timeout` after 6 s, `network`, `refused_address`, and
   * `malformed` when the response has no ID token.
   */
  exchangeCode(
    system: string,
    metadata: OidcMetadata,
    exchange: CodeExchange,
    isTenantAddress: boolean,
  ): Promise<OidcTokens | null>;
  /**
   * GETs what the provider says of the token's owner beside the ID token. Returns null when it says
   * nothing: it names no such endpoint, rejects the call (4xx), or answers something that is no JSON object.
   * Throws an OutboundError for retryable statuses, `timeout` after 6 s, and `network`.
   */
  userInfo(
    system: string,
    metadata: OidcMetadata,
    accessToken: string,
    isTenantAddress: boolean,
  ): Promise<unknown>;
  /**
   * Runs `verify` with the provider's JSON Web Key Set. Keys are cached for 10 minutes; fetching them throws
   * the same OutboundErrors as `discover`. Providers replace keys, some of them without a new id: where a
   * key is unknown or a signature fails, `verify` runs again with keys that are newer.
   */
  verify<T>(
    system: string,
    keySet: { url: string; isTenantAddress: boolean },
    verify: (keys: JWTVerifyGetKey) => Promise<T>,
  ): Promise<T>;
};

type CodeExchange = {
  code: string;
  redirectUri: string;
  codeVerifier: string;
  clientId: string;
  clientSecret?: string | undefined;
  origin: string | null;
};

/** Keeps the 500 providers that were asked for last. */
export function createOidcClient({ outbound }: { outbound: Outbound }): OidcClient {
  const discovered = new LRUCache<string, OidcMetadata>({ max: REMEMBERED, ttl: METADATA_MS });
  const keySets = new LRUCache<string, KeySet>({ max: REMEMBERED });

  return {
    async discover(system, place) {
      const known = discovered.get(cacheKey(place));
      if (known) return known;
      const metadata = toMetadata(system, place, await fetchMetadata(outbound, system, place));
      discovered.set(cacheKey(place), metadata);
      return metadata;
    },
    forget: (place) => void discovered.delete(cacheKey(place)),
    exchangeCode: (system, metadata, exchange, isTenantAddress) =>
      exchangeCode(outbound, { system, metadata, exchange, isTenantAddress }),
    userInfo: (system, metadata, accessToken, isTenantAddress) =>
      fetchUserInfo(outbound, { system, metadata, accessToken, isTenantAddress }),
    async verify(system, keySet, verify) {
      const key = cacheKey(keySet);
      const keys = keySets.get(key) ?? createKeySet(outbound, { system, ...keySet });
      keySets.set(key, keys);
      return verifyWith(keys, verify);
    },
  };
}

// The cache key includes isTenantAddress: an entry fetched from an operator's address skipped the
// tenant address checks.
const cacheKey = ({ url, isTenantAddress }: Pick<OidcPlace, "url" | "isTenantAddress">) =>
  `${isTenantAddress}/${url}`;

const malformed = (system: string, what: string) =>
  new OutboundError(system, "malformed", { message: `${system}: ${what}` });

async function fetchMetadata(
  outbound: Outbound,
  system: string,
  place: OidcPlace,
): Promise<unknown> {
  const call = {
    system,
    url: place.url,
    headers: { Accept: "application/json" },
    timeoutMs: OIDC_TIMEOUT_MS,
    isTenantAddress: place.isTenantAddress,
    about: { call: "discovery" },
  };
  try {
    const answer = place.redirectsWithin
      ? await callWithin(outbound, call, place.redirectsWithin)
      : await outbound.call(call);
    return parseAnswer(system, answer);
  } catch (error) {
    if (!place.knownIssuer || !isWithoutAnswer(error)) throw error;
    return { issuer: place.knownIssuer, ...place.endpointsOf?.(place.knownIssuer) };
  }
}

/**
 * Whether nothing is known of the provider. A 404 says that the store has no such accounts; an address that
 * is refused is the merchant's to correct.
 */
const isWithoutAnswer = (error: unknown): boolean =>
  error instanceof OutboundError &&
  error.status !== 404 &&
  error.kind !== "refused_address" &&
  error.kind !== "foreign_redirect";

const isHttps = (address: string): boolean => address.startsWith("https:");

/** The answer with the place's own endpoints, once it is what the place expects. */
function toMetadata(
  system: string,
  { url, issuer, endpointsOf }: OidcPlace,
  answer: unknown,
): OidcMetadata {
  const parsed = Metadata.safeParse(answer);
  if (!parsed.success) throw malformed(system, "the provider's metadata is incomplete");
  const endpoints = endpointsOf ? endpointsOf(parsed.data.issuer) : {};
  if (endpoints === null)
    throw malformed(
      system,
      "the metadata names an issuer that is not the platform's for this store",
    );
  const metadata = { ...parsed.data, ...endpoints };
  const { authorization_endpoint, token_endpoint, jwks_uri } = metadata;
  if (isHttps(url) && ![authorization_endpoint, token_endpoint, jwks_uri].every(isHttps))
    throw malformed(system, "the metadata names an endpoint without https");
  if (issuer !== null && withoutTrailingSlashes(metadata.issuer) !== issuer)
    throw malformed(system, "the metadata names another issuer");
  return metadata;
}

type TokenRequest = {
  system: string;
  metadata: OidcMetadata;
  exchange: CodeExchange;
  isTenantAddress: boolean;
};

async function exchangeCode(
  outbound: Outbound,
  { system, metadata, exchange, isTenantAddress }: TokenRequest,
): Promise<OidcTokens | null> {
  const client = clientAuthentication(system, metadata, exchange);
  const answer = await outbound.send({
    system,
    url: metadata.token_endpoint,
    method: "POST",
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      Accept: "application/json",
      "User-Agent": "customer-identity-service",
      ...(exchange.origin && { Origin: exchange.origin }),
      ...client.headers,
    },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: exchange.code,
      redirect_uri: exchange.redirectUri,
      client_id: exchange.clientId,
      code_verifier: exchange.codeVerifier,
      ...client.fields,
    }).toString(),
    timeoutMs: OIDC_TIMEOUT_MS,
    isTenantAddress,
    exchangesCredentials: true,
    about: { call: "code_exchange" },
  });
  if (answer.status !== 200) {
    const refusal = toStatusError(system, answer);
    if (refusal.retryable) throw refusal;
    return null;
  }
  const parsed = TokenAnswer.safeParse(parseAnswer(system, answer));
  if (!parsed.success) throw malformed(system, "the token response has no id_token");
  return parsed.data;
}

async function fetchUserInfo(
  outbound: Outbound,
  request: Pick<TokenRequest, "system" | "metadata" | "isTenantAddress"> & { accessToken: string },
): Promise<unknown> {
  const { system, metadata, accessToken, isTenantAddress } = request;
  const { userinfo_endpoint: url } = metadata;
  // An access token goes over https, where the provider's other endpoints do.
  if (!url || (isHttps(metadata.token_endpoint) && !isHttps(url))) return null;
  try {
    const answer = await outbound.call({
      system,
      url,
      headers: { Accept: "application/json", Authorization: `Bearer ${accessToken}` },
      timeoutMs: OIDC_TIMEOUT_MS,
      isTenantAddress,
      about: { call: "user_info" },
    });
    return parseAnswer(system, answer);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.retryable && error.kind !== "malformed") throw error;
    return null;
  }
}

/**
 * How a client with a secret authenticates. Basic when the provider does not say (OpenID Connect
 * Discovery 3), and when it accepts both.
 */
function clientAuthentication(
  system: string,
  { token_endpoint_auth_methods_supported: announced = ["client_secret_basic"] }: OidcMetadata,
  { clientId, clientSecret }: CodeExchange,
): { headers?: { Authorization: string }; fields?: { client_secret: string } } {
  if (!clientSecret) return {};
  if (announced.includes("client_secret_basic"))
    return { headers: { Authorization: basicCredentials(clientId, clientSecret) } };
  if (announced.includes("client_secret_post")) return { fields: { client_secret: clientSecret } };
  throw malformed(
    system,
    "the provider accepts no client secret; the client is a public one, remove its secret",
  );
}

/** RFC 6749 2.3.1: id and secret are form-urlencoded before they are joined. */
function basicCredentials(id: string, secret: string): string {
  const [user, password] = [id, secret].map((text) =>
    new URLSearchParams({ v: text }).toString().slice(2),
  );
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
