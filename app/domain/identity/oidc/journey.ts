// A sign-in with an identity provider: out with state, nonce and code challenge, back with a code.
// The state works once, is bound to the browser that started, and belongs to one tenant and one
// provider. It is kept in the store's cell, so that a sign-in needs no other one.
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import { PLATFORM } from "../../../runtime/database/database.ts";
import { isPassingDatabaseError } from "../../../runtime/database/postgres-errors.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import { putKey, takeKey } from "../../../runtime/database/kv.ts";
import { TTL_SECONDS, PLATFORM_KEYS } from "../../../runtime/database/kv-keys.ts";
import { secretEquals } from "../../../runtime/secrets.ts";
import { HOME_REGION } from "../../../runtime/settings.ts";
import type { OidcProviderName } from "../../inventory/sign-in-providers.ts";
import { writeWhileMoving } from "../../tenants/moves/write-while-moving.ts";
import { isConnected } from "../../tenants/store-access.ts";
import { tryToReadPrimaryDomain } from "../../tenants/storefront/primary-domain.ts";
import { findTenant, getTenant, type Tenant } from "../../tenants/tenant.ts";
import type { Account } from "../account.ts";
import { completeClaims, InvalidIdToken, verifyIdToken, type IdentityClaims } from "./id-token.ts";
import { signInWithIdentity } from "./identity-linking.ts";
import { isLinked } from "./match-identity.ts";
import type { OidcProvider } from "./providers.ts";
import type { Visit } from "../../consent/visit.ts";

/** The values of `?error=` after a failed sign-in. */
export type JourneyError =
  | "not_configured"
  | "access_denied"
  | "invalid_state"
  | "invalid_token"
  | "provider_unavailable"
  | "foreign_domain"
  | "account_exists"
  | "account_unavailable"
  | "database_unavailable";

type State = {
  kind: OidcProviderName;
  shop: string;
  nonce: string;
  /** The configured issuer, whose code is expected. Absent in states of the former version. */
  issuer?: string | null;
  browser: string;
  return_to: string;
  /** Null when no session code is requested. */
  handoff_challenge: string | null;
};

export type JourneyStart = {
  returnTo: string | null;
  handoffChallenge: string | null;
  browserSecret: string;
};

/** Returns the provider's authorization address, or why the sign-in cannot start. */
export async function beginJourney(
  ctx: Ctx,
  tenant: Tenant,
  provider: OidcProvider,
  start: JourneyStart,
): Promise<{ location: string } | { error: JourneyError }> {
  const client = provider.clientOf(tenant);
  if (!client) return { error: "not_configured" };
  let endpoint: string;
  try {
    endpoint = (await discover(ctx, tenant, provider)).metadata.authorization_endpoint;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const reason = toJourneyError(error);
    ctx.log.warn("sign_in.not_begun", {
      provider: provider.name,
      reason,
      detail: error.message,
      shop: tenant.shop,
    });
    return { error: reason };
  }
  const id = ctx.random.uuid();
  const state = tenant.region === HOME_REGION ? id : `${id}.${tenant.region}`;
  const nonce = ctx.random.bytes(24).toString("base64url");
  const verifier = ctx.random.bytes(32).toString("base64url");
  const kept: State = {
    kind: provider.name,
    shop: tenant.shop,
    nonce,
    issuer: provider.metadataOf(ctx, tenant).issuer,
    browser: hash("sha256", start.browserSecret),
    return_to: toReturnPath(start.returnTo),
    handoff_challenge: start.handoffChallenge,
  };
  const { sql } = ctx.regions.get(tenant.region).forTenant(PLATFORM);
  await putKey(sql, PLATFORM_KEYS.oauthState(id), kept, TTL_SECONDS.oauthState);
  await putKey(sql, PLATFORM_KEYS.pkce(state), verifier, provider.verifierSeconds);
  const location = withQuery(endpoint, {
    client_id: client.id,
    response_type: "code",
    scope: provider.scope,
    redirect_uri: ctx.baseUrl + provider.callbackPath,
    state,
    nonce,
    code_challenge: hash("sha256", verifier, "base64url"),
    code_challenge_method: "S256",
  });
  return { location };
}

/** Keeps the parameters that the address has already. */
function withQuery(address: string, query: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * The provider's metadata, and the tenant as it was found with: a store that redirects to another domain
 * may have a new primary domain, so that is read again, once.
 */
async function discover(ctx: Ctx, tenant: Tenant, provider: OidcProvider) {
  const find = async (at: Tenant) => ({
    tenant: at,
    metadata: await ctx.oidc.discover(provider.name, provider.metadataOf(ctx, at)),
  });
  try {
    return await find(tenant);
  } catch (error) {
    const isForeign = error instanceof OutboundError && error.kind === "foreign_redirect";
    if (!isForeign || !isConnected(tenant)) throw error;
    if (!(await tryToReadPrimaryDomain(ctx, tenant.shop))) throw error;
    return find(await getTenant(ctx, tenant.shop));
  }
}

const toJourneyError = ({ kind }: OutboundError): JourneyError =>
  kind === "foreign_redirect" ? "foreign_domain" : "provider_unavailable";

/**
 * A path of this site only: `//other.example` and `/\other.example` leave the site, and so does
 * `/.//other.example` once its dots are resolved.
 */
export function toReturnPath(path: string | null): string {
  if (!path || path.length > 1_000 || !/^\/(?![/\\])[^\\\u0000-\u001f]*$/.test(path)) return "/";
  const url = URL.parse(path, "https://here.invalid");
  return url?.origin === "https://here.invalid" && !url.pathname.startsWith("//")
    ? url.pathname + url.search
    : "/";
}

const MAX_REFUSAL_CHARACTERS = 80;

export type JourneyEnd =
  | {
      outcome: "signed_in";
      tenant: Tenant;
      account: Account;
      /** Before the account was read. */
      at: Date;
      returnTo: string;
      handoffChallenge: string | null;
    }
  | { outcome: "failed"; error: JourneyError; tenant: Tenant | null; returnTo: string };

/** The provider's redirect back, and the browser that follows it. */
type Callback = { query: URLSearchParams; browserSecret: string | undefined; visit: Visit };

/** Throws while the database is away and the state is not read yet. */
export async function completeJourney(
  ctx: Ctx,
  provider: OidcProvider,
  { query, browserSecret, visit }: Callback,
): Promise<JourneyEnd> {
  const state = query.get("state") ?? "";
  const { kept, verifier } = await takeState(ctx, state);
  const tenant = kept ? await findTenant(ctx, kept.shop) : null;
  const fail = (error: JourneyError, detail?: string): JourneyEnd => {
    ctx.log.warn("sign_in.failed", {
      provider: provider.name,
      reason: error,
      ...(detail && { detail }),
      ...(tenant && { shop: tenant.shop }),
    });
    return { outcome: "failed", error, tenant, returnTo: kept?.return_to ?? "/" };
  };
  if (!kept || !tenant || kept.kind !== provider.name || !isOfBrowser(kept, browserSecret))
    return fail("invalid_state");
  const refusal = query.get("error");
  if (refusal !== null)
    return fail(toRefusalError(refusal), refusal.slice(0, MAX_REFUSAL_CHARACTERS));
  const code = query.get("code");
  if (!code || !verifier) return fail("invalid_state");
  try {
    // The code belongs to the provider that the person was sent to: no other one may see it.
    if (kept.issuer !== undefined && kept.issuer !== provider.metadataOf(ctx, tenant).issuer)
      throw new InvalidIdToken("the store's provider was changed meanwhile");
    const identity = await fetchIdentity(ctx, tenant, provider, {
      code,
      verifier,
      nonce: kept.nonce,
      issuer: query.get("iss"),
    });
    // The store may have moved to another cell while the provider answered, or be moving: the code is used.
    const newest = await getTenant(ctx, tenant.shop);
    return await writeWhileMoving(ctx, newest, async (current) => {
      const at = ctx.clock.now();
      const signedIn = await signInWithIdentity(ctx, current, provider, identity, visit);
      if (signedIn.outcome === "refused") return fail(signedIn.error);
      return {
        outcome: "signed_in",
        tenant: current,
        account: signedIn.account,
        at,
        returnTo: kept.return_to,
        handoffChallenge: kept.handoff_challenge,
      };
    });
  } catch (error) {
    // The provider may have moved: the next sign-in fetches its metadata again.
    if (error instanceof InvalidIdToken) ctx.oidc.forget(provider.metadataOf(ctx, tenant));
    const failure = toFailure(error);
    if (!failure) throw error;
    return fail(failure.error, failure.detail);
  }
}

/** Null for a mistake of our own. */
function toFailure(error: unknown): { error: JourneyError; detail?: string } | null {
  if (error instanceof InvalidIdToken) return { error: "invalid_token", detail: error.message };
  if (error instanceof OutboundError)
    return { error: toJourneyError(error), detail: error.message };
  // The code is used: only a new sign-in helps, which the page that the person came from can begin.
  return isPassingDatabaseError(error) ? { error: "database_unavailable" } : null;
}

/** What the provider's `?error=` means to the person. */
const toRefusalError = (refusal: string): JourneyError =>
  /^(server_error|temporarily_unavailable)$/.test(refusal)
    ? "provider_unavailable"
    : "access_denied";

/** Whether the journey began in this browser. */
const isOfBrowser = ({ browser }: State, secret: string | undefined): boolean =>
  secret ? secretEquals(hash("sha256", secret), browser) : false;

/**
 * The state ends with the cell that it is kept in, unless that is home, which every process reaches. Throws
 * `cell_not_served`.
 */
async function takeState(
  ctx: Ctx,
  state: string,
): Promise<{ kept: State | null; verifier: string | null }> {
  const [id = "", region = HOME_REGION] = state.split(".", 2);
  if (!ctx.regions.has(region)) return { kept: null, verifier: null };
  const database = region === HOME_REGION ? ctx.home : ctx.regions.get(region);
  const { sql } = database.forTenant(PLATFORM);
  const kept = await takeKey<State>(sql, PLATFORM_KEYS.oauthState(id));
  // Only by the holder of the state: of two concurrent callbacks the one without must not take the
  // verifier from the other.
  const verifier = kept && (await takeKey<string>(sql, PLATFORM_KEYS.pkce(state)));
  return { kept, verifier };
}

async function fetchIdentity(
  ctx: Ctx,
  known: Tenant,
  provider: OidcProvider,
  answer: { code: string; verifier: string; nonce: string; issuer: string | null },
) {
  const client = provider.clientOf(known);
  if (!client) throw new InvalidIdToken("the client was removed meanwhile");
  const { tenant, metadata } = await discover(ctx, known, provider);
  const { isTenantAddress } = provider.metadataOf(ctx, tenant);
  // RFC 9207: a response that names another issuer is a mix-up; so is one without an issuer where the
  // provider always sends it.
  const isMixUp =
    answer.issuer === null
      ? metadata.authorization_response_iss_parameter_supported
      : answer.issuer !== metadata.issuer;
  if (isMixUp) throw new InvalidIdToken("the answer names another issuer or none");
  const tokens = await ctx.oidc.exchangeCode(
    provider.name,
    metadata,
    {
      code: answer.code,
      codeVerifier: answer.verifier,
      redirectUri: ctx.baseUrl + provider.callbackPath,
      clientId: client.id,
      clientSecret: client.secret,
      origin: provider.sendsOrigin ? new URL(ctx.baseUrl).origin : null,
    },
    isTenantAddress,
  );
  if (!tokens)
    throw new InvalidIdToken("the provider refused the code, or our client id and secret");
  const claims = await verifyIdToken(ctx, tokens.id_token, {
    system: provider.name,
    metadata,
    clientId: client.id,
    nonce: answer.nonce,
    isTenantAddress,
  });
  const complete = provider.hasUserInfo
    ? await completeClaims(ctx, claims, tokens.access_token, {
        system: provider.name,
        metadata,
        isTenantAddress,
      }).catch((error: unknown) => claimsOfLinked(ctx, tenant, claims, error))
    : claims;
  return provider.identify(ctx, tenant, complete, tokens.access_token);
}

/** A subject that is linked to an account signs in without its user info; another one would get an account without an address. */
async function claimsOfLinked(
  ctx: Ctx,
  tenant: Tenant,
  claims: IdentityClaims,
  error: unknown,
): Promise<IdentityClaims> {
  if (error instanceof OutboundError && (await isLinked(ctx, tenant, claims))) return claims;
  throw error;
}
