// The two identity providers as values: address, our client, and the claims they send.
import type { Ctx } from "../../../context.server.ts";
import type { OidcPlace } from "../../../integrations/oidc.ts";
import { normaliseEmail } from "../../customers/customer-change.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { TTL_SECONDS } from "../../../runtime/database/kv.ts";
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
  /** Null while the tenant has not configured it. */
  clientOf(tenant: Tenant): { id: string; secret: string | undefined } | null;
  /** The address and issuer of its metadata, and whether a tenant chose that address. */
  metadataOf(ctx: Ctx, tenant: Tenant): OidcPlace;
  toIdentity(claims: IdentityClaims, accessToken: string | undefined): ProvenIdentity;
};

const METADATA_PATH = "/.well-known/openid-configuration";

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
  toIdentity: (claims) => ({
    ...common(claims),
    provider: "federated",
    gid: null,
    accessToken: null,
  }),
};

const storefront: OidcProvider = {
  name: "storefront",
  scope: "openid email customer-account-api:full",
  callbackPath: "/auth/storefront/callback",
  verifierSeconds: TTL_SECONDS.pkce,
  consentMethod: "storefront_oidc",
  sendsOrigin: true,
  clientOf: ({ config }) =>
    config.storefront_customer_account_client_id
      ? {
          id: config.storefront_customer_account_client_id,
          secret: config.storefront_customer_account_client_secret,
        }
      : null,
  // The issuer is vouched for by the store's domain and has another address.
  metadataOf: (ctx, tenant) => ({
    url: ctx.storefront.adminUrl(tenant.shop, METADATA_PATH),
    issuer: null,
    isTenantAddress: false,
  }),
  toIdentity: (claims, accessToken) => ({
    ...common(claims),
    provider: "storefront",
    gid: toCustomerGid(claims.sub),
    accessToken: accessToken ?? null,
  }),
};

/**
 * The subject is the customer's number or its gid; as text, because it exceeds what a JavaScript number
 * holds.
 */
function toCustomerGid(sub: string): string | null {
  const digits = /^(?:gid:\/\/shopify\/Customer\/)?(\d{1,20})$/.exec(sub)?.[1];
  return digits ? `gid://shopify/Customer/${digits}` : null;
}

export const OIDC_PROVIDERS = { federated, storefront } as const;
