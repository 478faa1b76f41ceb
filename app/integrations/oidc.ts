// Any OpenID Connect provider (openid.net "OpenID Connect Core", "Discovery"): metadata, the code exchange, the keys.
// What a token must say to be believed stands in domain/identity/id-token.ts.
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import { z } from "zod";
import { OutboundError } from "../runtime/errors.ts";
import { parseAnswer, toStatusError, type Outbound } from "../runtime/outbound.ts";
import { withoutTrailingSlashes } from "../runtime/slashes.ts";

const TIMEOUT_MS = 6_000;
const METADATA_MS = 10 * 60_000;
/** A token with a key we do not know makes us ask for the keys, but not again within this time. */
const KEYS_COOLDOWN_MS = 30_000;
const KEYS_MAX_AGE_MS = 10 * 60_000;
const REMEMBERED = 500;

const Endpoint = z.url({ protocol: /^https?$/ });
const Metadata = z.looseObject({
  issuer: z.string().min(1),
  authorization_endpoint: Endpoint,
  token_endpoint: Endpoint,
  jwks_uri: Endpoint,
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
export type OidcMetadata = z.output<typeof Metadata>;

const TokenAnswer = z.looseObject({
  id_token: z.string().max(20_000),
  access_token: z.string().max(20_000).optional(),
});
type OidcTokens = z.output<typeof TokenAnswer>;

/** `isTenantAddress`: a tenant named the provider, so private addresses are refused, in its metadata too. */
export type OidcPlace = {
  url: string;
  /** Null when the address alone says whose metadata it is. */ issuer: string | null;
  isTenantAddress: boolean;
};

export type OidcClient = {
  /** Metadata is remembered for 10 minutes; metadata that names another issuer than expected is `malformed`. */
  discover(system: string, place: OidcPlace): Promise<OidcMetadata>;
  forget(place: OidcPlace): void;
  /** Null when the provider refuses the code or us. */
  exchangeCode(
    system: string,
    metadata: OidcMetadata,
    exchange: CodeExchange,
    isTenantAddress: boolean,
  ): Promise<OidcTokens | null>;
  keysOf(
    system: string,
    metadata: Pick<OidcMetadata, "jwks_uri">,
    isTenantAddress: boolean,
  ): JWTVerifyGetKey;
};

type CodeExchange = {
  code: string;
  redirectUri: string;
  codeVerifier: string;
  clientId: string;
  clientSecret?: string | undefined;
  origin: string | null;
};

// What was had from an address that the operator chose was not checked as a tenant's would be.
const nameOf = ({ url, isTenantAddress }: OidcPlace) => `${isTenantAddress}/${url}`;

export function createOidcClient({ outbound }: { outbound: Outbound }): OidcClient {
  const metadata = new Map<string, { found: OidcMetadata; until: number }>();
  const keys = new Map<string, JWTVerifyGetKey>();
  const remember = <V>(map: Map<string, V>, key: string, value: V): V => {
    if (map.size >= REMEMBERED) map.clear();
    map.set(key, value);
    return value;
  };

  return {
    async discover(system, place) {
      const { url, issuer, isTenantAddress } = place;
      const known = metadata.get(nameOf(place));
      if (known && known.until > performance.now()) return known.found;
      const answer = await outbound.call({
        system,
        url,
        headers: { Accept: "application/json" },
        timeoutMs: TIMEOUT_MS,
        isTenantAddress,
        about: { call: "discovery" },
      });
      const parsed = Metadata.safeParse(parseAnswer(system, answer));
      if (!parsed.success)
        throw new OutboundError(system, "malformed", {
          message: `${system}: the provider's metadata is incomplete`,
        });
      const { authorization_endpoint, token_endpoint, jwks_uri } = parsed.data;
      if (
        url.startsWith("https:") &&
        [authorization_endpoint, token_endpoint, jwks_uri].some(
          (endpoint) => !endpoint.startsWith("https:"),
        )
      )
        throw new OutboundError(system, "malformed", {
          message: `${system}: the metadata leaves https`,
        });
      if (issuer !== null && withoutTrailingSlashes(parsed.data.issuer) !== issuer)
        throw new OutboundError(system, "malformed", {
          message: `${system}: the metadata is of another issuer`,
        });
      return remember(metadata, nameOf(place), {
        found: parsed.data,
        until: performance.now() + METADATA_MS,
      }).found;
    },
    forget: (place) => void metadata.delete(nameOf(place)),
    async exchangeCode(system, { token_endpoint: url }, exchange, isTenantAddress) {
      const fields = {
        grant_type: "authorization_code",
        code: exchange.code,
        redirect_uri: exchange.redirectUri,
        client_id: exchange.clientId,
        code_verifier: exchange.codeVerifier,
        ...(exchange.clientSecret && { client_secret: exchange.clientSecret }),
      };
      const answer = await outbound.send({
        system,
        url,
        method: "POST",
        headers: {
          "Content-Type": "application/x-www-form-urlencoded",
          Accept: "application/json",
          "User-Agent": "customer-identity-service",
          ...(exchange.origin && { Origin: exchange.origin }),
        },
        body: new URLSearchParams(fields).toString(),
        timeoutMs: TIMEOUT_MS,
        isTenantAddress,
        about: { call: "code_exchange" },
      });
      if (answer.status !== 200) {
        const refusal = toStatusError(system, answer);
        if (refusal.retryable) throw refusal;
        return null;
      }
      const parsed = TokenAnswer.safeParse(parseAnswer(system, answer));
      if (!parsed.success)
        throw new OutboundError(system, "malformed", {
          message: `${system}: the token answer has no id_token`,
        });
      return parsed.data;
    },
    keysOf(system, { jwks_uri: url }, isTenantAddress) {
      const place = `${isTenantAddress}/${url}`;
      return (
        keys.get(place) ??
        remember(
          keys,
          place,
          createRemoteJWKSet(new URL(url), {
            cooldownDuration: KEYS_COOLDOWN_MS,
            cacheMaxAge: KEYS_MAX_AGE_MS,
            [customFetch]: async (keysUrl: string) => {
              const answer = await outbound.call({
                system,
                url: keysUrl,
                timeoutMs: TIMEOUT_MS,
                isTenantAddress,
                about: { call: "keys" },
              });
              // Here, so that keys that cannot be read are the provider's trouble and not the token's.
              return Response.json(parseAnswer(system, answer));
            },
          }),
        )
      );
    },
  };
}
