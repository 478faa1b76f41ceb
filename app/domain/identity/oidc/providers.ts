// The two identity providers as values: address, our client, and how they name a person.
import type { Ctx } from "../../../context.server.ts";
import type { OidcPlace } from "../../../integrations/oidc.ts";
import { isLookAlike } from "../../customers/customer-change.ts";
import { cleanName } from "../../customers/person-name.ts";
import type { OidcProviderName } from "../../inventory/sign-in-providers.ts";
import { storeDomains } from "../../tenants/storefront/primary-domain.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import { EmailAddress } from "../email-address.ts";
import type { IdentityClaims } from "./id-token.ts";

/** An identity verified by a provider. */
export type ProvenIdentity = {
  provider: OidcProviderName;
  issuer: string;
  sub: string;
  email: string | null;
  isEmailVerified: boolean;
  name: string | null;
  avatarUrl: string | null;
  /** Set for a storefront customer. */
  gid: string | null;
  /** The provider's own API token; stored for the storefront only. */
  accessToken: string | null;
};

export type OidcProvider = {
  name: OidcProviderName;
  scope: string;
  callbackPath: string;
  /** How long the code verifier is kept. */
  verifierSeconds: number;
  consentMethod: string;
  /**
   * Some stores reject token calls without an Origin; a general provider takes a call with one for a
   * browser's and rejects it.
   */
  sendsOrigin: boolean;
  /** Whether its user info is asked for what the ID token leaves out; the storefront has an API for that. */
  hasUserInfo: boolean;
  /** Null while there is no client for this tenant. */
  clientOf(tenant: Tenant): { id: string; secret: string | undefined } | null;
  /** The address and issuer of its metadata, and whether a tenant chose that address. */
  metadataOf(ctx: Ctx, tenant: Tenant): OidcPlace;
  /** Throws an OutboundError when the provider must be asked and does not answer. */
  identify(
    ctx: Ctx,
    tenant: Tenant,
    claims: IdentityClaims,
    accessToken: string | undefined,
  ): Promise<ProvenIdentity>;
};

const METADATA_PATH = "/.well-known/openid-configuration";

/** Text that is no address counts as none. */
const addressOf = (text: string | null | undefined): string | null =>
  EmailAddress.safeParse(text).data ?? null;

function common(claims: IdentityClaims) {
  const email = addressOf(claims.email);
  return {
    issuer: claims.issuer,
    sub: claims.sub,
    email,
    isEmailVerified:
      email !== null && claims.email_verified === true && !isLookAlike(claims.email ?? ""),
    name: cleanName(claims.name ?? "") || null,
    avatarUrl:
      claims.picture && URL.parse(claims.picture)?.protocol === "https:" ? claims.picture : null,
  };
}

const federated: OidcProvider = {
  name: "federated",
  scope: "openid email profile",
  callbackPath: "/auth/federated/callback",
  verifierSeconds: TTL_SECONDS.oauthState,
  consentMethod: "federated_oauth",
  sendsOrigin: false,
  hasUserInfo: true,
  clientOf: ({ config }) =>
    config.federated_client_id
      ? { id: config.federated_client_id, secret: config.federated_client_secret }
      : null,
  metadataOf: (ctx, tenant) => {
    const issuer = (tenant.config.federated_issuer ?? ctx.config.FEDERATED_ISSUER).replace(
      /\/+$/,
      "",
    );
    return {
      url: issuer + METADATA_PATH,
      issuer,
      isTenantAddress: tenant.saved.federated_issuer !== undefined,
    };
  },
  identify: (_ctx, _tenant, claims) =>
    Promise.resolve({ ...common(claims), provider: "federated", gid: null, accessToken: null }),
};

const storefront: OidcProvider = {
  name: "storefront",
  scope: "openid email customer-account-api:full",
  callbackPath: "/auth/storefront/callback",
  verifierSeconds: TTL_SECONDS.pkce,
  consentMethod: "storefront_oidc",
  sendsOrigin: true,
  hasUserInfo: false,
  // The app itself, by [customer_authentication] of its manifest, unless the store has a client of its own.
  clientOf: ({ config, app }) => ({
    id: config.storefront_customer_account_client_id ?? app.clientId,
    secret: config.storefront_customer_account_client_secret,
  }),
  // The issuer has another address than the store's domain, which names it.
  metadataOf: (ctx, tenant) => {
    const domains = storeDomains(tenant);
    const store = accountStoreOf(tenant);
    return {
      url: ctx.storefront.domainUrl(store.domain, METADATA_PATH),
      issuer: null,
      // The names in the DNS of a primary domain are the merchant's.
      isTenantAddress: ctx.storefront.isDomainHost,
      redirectsWithin: domains.map((domain) => ctx.storefront.domainUrl(domain, "")),
      endpointsOf: (issuer) => ctx.customerAccounts.endpointsOf(store, issuer),
      // The platform limits unsigned bots on a store's pages, and so does a proxy of the merchant's.
      knownIssuer: ctx.customerAccounts.issuerOf(store),
    };
  },
  async identify(ctx, tenant, claims, accessToken) {
    if (!accessToken)
      throw new OutboundError("storefront", "malformed", {
        message: "storefront: the token response has no access token",
      });
    // The subject is not the number of the Admin API's customer, so the access token's owner is asked for.
    const customer = await ctx.customerAccounts.customer(
      accountStoreOf(tenant),
      claims.issuer,
      accessToken,
      new URL(ctx.baseUrl).origin,
    );
    const known = common(claims);
    return {
      ...known,
      email: known.email ?? addressOf(customer.email),
      provider: "storefront",
      gid: customer.gid,
      accessToken,
    };
  },
};

/** The store by its primary domain. */
const accountStoreOf = (tenant: Tenant) => ({
  domain: storeDomains(tenant)[0] ?? tenant.shop,
  number: tenant.connection.shop_number,
});

export const OIDC_PROVIDERS: Readonly<Record<OidcProviderName, OidcProvider>> = {
  federated,
  storefront,
};
