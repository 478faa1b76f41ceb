// Any OpenID Connect provider (openid.net "OpenID Connect Core", "Discovery"): metadata, the code exchange, the keys.
// What a token must say to be believed stands in domain/identity/id-token.ts.
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import { z } from "zod";
import { OutboundError } from "../runtime/errors.ts";
import { parseAnswer, type Outbound } from "../runtime/outbound.ts";

const TIMEOUT_MS = 6_000;
const METADATA_MS = 10 * 60_000;
/** A token with a key we do not know makes us ask for the keys, but not again within this time. */
const KEYS_COOLDOWN_MS = 30_000;
const KEYS_MAX_AGE_MS = 10 * 60_000;
const REMEMBERED = 500;

const Metadata = z.looseObject({ issuer: z.string(), authorization_endpoint: z.url(), token_endpoint: z.url(), jwks_uri: z.url() });
export type OidcMetadata = z.output<typeof Metadata>;

const TokenAnswer = z.looseObject({ id_token: z.string().max(20_000), access_token: z.string().max(20_000).optional() });
export type OidcTokens = z.output<typeof TokenAnswer>;

export type OidcClient = {
  /** `isTenantAddress`: a tenant named the provider, so private addresses are refused, in its metadata too. */
  discover(system: string, url: string, isTenantAddress: boolean): Promise<OidcMetadata>;
  exchangeCode(system: string, metadata: OidcMetadata, exchange: CodeExchange, isTenantAddress: boolean): Promise<OidcTokens>;
  keysOf(system: string, metadata: OidcMetadata, isTenantAddress: boolean): JWTVerifyGetKey;
};

export type CodeExchange = { code: string; redirectUri: string; codeVerifier: string; clientId: string; clientSecret?: string | undefined; origin: string };

export function createOidcClient({ outbound }: { outbound: Outbound }): OidcClient {
  const metadata = new Map<string, { found: OidcMetadata; until: number }>();
  const keys = new Map<string, JWTVerifyGetKey>();
  const remember = <V>(map: Map<string, V>, key: string, value: V): V => {
    if (map.size >= REMEMBERED) map.clear();
    map.set(key, value);
    return value;
  };

  return {
    async discover(system, url, isTenantAddress) {
      const known = metadata.get(url);
      if (known && known.until > performance.now()) return known.found;
      const answer = await outbound.call({ system, url, headers: { Accept: "application/json" }, timeoutMs: TIMEOUT_MS, isTenantAddress, about: { call: "discovery" } });
      const parsed = Metadata.safeParse(parseAnswer(system, answer));
      if (!parsed.success) throw new OutboundError(system, "malformed", { message: `${system}: the provider's metadata is incomplete` });
      return remember(metadata, url, { found: parsed.data, until: performance.now() + METADATA_MS }).found;
    },
    async exchangeCode(system, { token_endpoint: url }, exchange, isTenantAddress) {
      const fields = {
        grant_type: "authorization_code",
        code: exchange.code,
        redirect_uri: exchange.redirectUri,
        client_id: exchange.clientId,
        code_verifier: exchange.codeVerifier,
        ...(exchange.clientSecret && { client_secret: exchange.clientSecret }),
      };
      const answer = await outbound.call({
        system,
        url,
        method: "POST",
        // Some stores refuse token calls of public clients without an Origin.
        headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "application/json", Origin: exchange.origin, "User-Agent": "customer-identity-service" },
        body: new URLSearchParams(fields).toString(),
        timeoutMs: TIMEOUT_MS,
        isTenantAddress,
        about: { call: "code_exchange" },
      });
      const parsed = TokenAnswer.safeParse(parseAnswer(system, answer));
      if (!parsed.success) throw new OutboundError(system, "malformed", { message: `${system}: the token answer has no id_token` });
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
              const answer = await outbound.send({ system, url: keysUrl, timeoutMs: TIMEOUT_MS, isTenantAddress, about: { call: "keys" } });
              return new Response(answer.text, { status: answer.status });
            },
          }),
        )
      );
    },
  };
}
