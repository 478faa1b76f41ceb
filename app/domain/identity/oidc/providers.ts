// The two identity providers as values: address, our client, and how they name a person.
import type { Ctx } from "../../../context.server.ts";
import type { OidcPlace } from "../../../integrations/oidc.ts";
import { normaliseEmail } from "../../customers/customer-change.ts";
import { storeDomains } from "../../tenants/storefront/primary-domain.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { TTL_SECONDS } from "../../../runtime/database/kv.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import type { IdentityClaims } from "./id-token.ts";

/** An identity verified by a provider. */
export type ProvenIdentity = {
  provider: "federated" | "storefront";
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
  name: "federated" | "storefront";
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

const CUSTOMER_API_PATH = "/.well-known/customer-account-api";

const common = (claims: IdentityClaims) => ({
  issuer: claims.issuer,
  sub: claims.sub,
  email: claims.email ? normaliseEmail(claims.email) : null,
  isEmailVerified: Boolean(claims.email) && claims.email_verified === true,
  name: claims.name ?? null,
  avatarUrl:
    claims.picture && URL.parse(claims.picture)?.protocol === "https:" ? claims.picture : null,
});

const federated: OidcProvider = {
  name: "federated",
  scope: "openid email profile",
  callbackPath: "/auth/federated/callback",
  verifierSeconds: TTL_SECONDS.oauthState,
  consentMethod: "federated_oauth",
  sendsOrigin: false,
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
  // The app itself, by [customer_authentication] of its manifest, unless the store has a client of its own.
  clientOf: ({ config, app }) => ({
    id: config.storefront_customer_account_client_id ?? app.clientId,
    secret: config.storefront_customer_account_client_secret,
  }),
  // The issuer is vouched for by the store's domain and has another address.
  metadataOf: (ctx, tenant) => {
    const { url, within, isTenantAddress } = placeAtStore(ctx, tenant, METADATA_PATH);
    return { url, issuer: null, isTenantAddress, redirectsWithin: within };
  },
  async identify(ctx, tenant, claims, accessToken) {
    if (!accessToken)
      throw new OutboundError("storefront", "malformed", {
        message: "storefront: the token response has no access token",
      });
    // The subject is not the number of the Admin API's customer, so the access token's owner is asked for.
    const customer = await ctx.customerAccounts.customer(
      placeAtStore(ctx, tenant, CUSTOMER_API_PATH),
      accessToken,
      new URL(ctx.baseUrl).origin,
    );
    const known = common(claims);
    return {
      ...known,
      email: known.email ?? (customer.email ? normaliseEmail(customer.email) : null),
      provider: "storefront",
      gid: customer.gid,
      accessToken,
    };
  },
};

/** A document on the store's primary domain, which may redirect between the store's domains. */
function placeAtStore(ctx: Ctx, tenant: Tenant, path: string) {
  const domains = storeDomains(tenant);
  return {
    url: ctx.storefront.domainUrl(domains[0] ?? tenant.shop, path),
    within: domains.map((domain) => ctx.storefront.domainUrl(domain, "")),
    // The names in the DNS of a primary domain are the merchant's.
    isTenantAddress: ctx.storefront.isDomainHost,
  };
}

export const OIDC_PROVIDERS = { federated, storefront } as const;
