// The capability manifest (SPEC "Embeds and discovery") as a UCP business profile, in each
// supported version: ucp.dev "Overview", source/schemas/profile.json. It lists only what this
// store's settings support.
import { isConnected } from "../../tenants/store-access.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { addressOf, type PublicAddress } from "../public-address.ts";

/** Newest first. */
export const UCP_VERSIONS = ["2026-08-25", "2026-04-08"] as const;
export type UcpVersion = (typeof UCP_VERSIONS)[number];

/** A public JWK that verifies signatures of this store. */
type PublicKey = { kty: string; kid: string } & Record<string, unknown>;

/** Whether the tenant has a storefront with products. */
export const isSelling = (tenant: Tenant): boolean =>
  tenant.config.storefront_api_token !== undefined || isConnected(tenant);

const at = (version: UcpVersion, path: string) => `https://ucp.dev/${version}/${path}`;

export const DISCOUNT = "dev.ucp.shopping.discount";
export const FULFILLMENT = "dev.ucp.shopping.fulfillment";

function capability(
  version: UcpVersion,
  spec: string,
  schema: string,
  more: { config?: object; extends?: string } = {},
): object[] {
  return [
    {
      version,
      spec: at(version, `specification/${spec}`),
      schema: at(version, `schemas/${schema}.json`),
      ...more,
    },
  ];
}

/**
 * UCP capabilities by name. Those about a shopper are listed only while agents may act for
 * shoppers.
 */
export function ucpCapabilities(tenant: Tenant, version: UcpVersion): Record<string, object[]> {
  const isOpen = tenant.config.agent_access_enabled;
  return {
    ...(isSelling(tenant) && {
      "dev.ucp.shopping.catalog.search": capability(
        version,
        "catalog/search",
        "shopping/catalog_search",
      ),
      "dev.ucp.shopping.catalog.lookup": capability(
        version,
        "catalog/lookup",
        "shopping/catalog_lookup",
      ),
      "dev.ucp.shopping.cart": capability(version, "cart", "shopping/cart"),
      ...(isOpen && {
        "dev.ucp.shopping.checkout": capability(version, "checkout", "shopping/checkout"),
        "dev.ucp.shopping.order": capability(version, "order", "shopping/order"),
        [DISCOUNT]: capability(version, "discount", "shopping/discount", {
          extends: "dev.ucp.shopping.checkout",
        }),
        // No configuration is published: a checkout has one method and one destination.
        [FULFILLMENT]: capability(version, "fulfillment", "shopping/fulfillment", {
          extends: "dev.ucp.shopping.checkout",
        }),
      }),
    }),
    // A listed scope is a requirement: its operations need the shopper's consent.
    ...(isOpen && {
      "dev.ucp.common.identity_linking": capability(
        version,
        "identity-linking",
        "common/identity_linking",
        {
          config: {
            scopes: { "dev.ucp.shopping.order:read": {}, "dev.ucp.shopping.checkout:manage": {} },
          },
        },
      ),
    }),
  };
}

type ProfileOptions = {
  version: UcpVersion;
  /** Public ones. Their member is `keys` since 2026-08-25, and was `signing_keys` before. */
  signingKeys: readonly PublicKey[];
  /** Whether it says where the profiles in older versions are. */
  hasOlderVersions: boolean;
};

export function buildUcpProfile(
  tenant: Tenant,
  address: PublicAddress,
  { version, signingKeys, hasOlderVersions }: ProfileOptions,
): object {
  const {
    agent_access_enabled: isOpen,
    agent_payments_enabled: canPay,
    brand_name: brand,
  } = tenant.config;
  const url = (path: string) => addressOf(address, path);
  const service = { version, spec: at(version, "specification/overview") };
  const older = Object.fromEntries(
    UCP_VERSIONS.slice(1).map((other) => [other, url(`/.well-known/ucp/${other}`)]),
  );
  return {
    name: brand ?? tenant.shop,
    shop: tenant.shop,
    ...(isOpen && { a2a_agent_access: true }),
    ...(isOpen && canPay && { agent_payments: true }),
    endpoints: {
      identity: url("/commerce/identity"),
      ...(isSelling(tenant) && {
        products: url("/commerce/products"),
        ...(isOpen && { orders: url("/commerce/orders"), checkout: url("/commerce/checkout") }),
      }),
      ...(isOpen && canPay && { mandates: url("/commerce/mandates") }),
      agent_card: url("/.well-known/agent-card.json"),
      authorization_server: url("/.well-known/oauth-authorization-server"),
      protected_resource: url("/.well-known/oauth-protected-resource"),
    },
    ucp: {
      version,
      status: "success",
      ...(hasOlderVersions && { supported_versions: older }),
      services: {
        "dev.ucp.shopping": [
          {
            ...service,
            transport: "mcp",
            endpoint: url("/mcp"),
            schema: at(version, "services/shopping/mcp.openrpc.json"),
          },
          { ...service, transport: "a2a", endpoint: url("/.well-known/agent-card.json") },
        ],
      },
      capabilities: ucpCapabilities(tenant, version),
      // There are no payments through us: a checkout is completed at the storefront.
      payment_handlers: {},
    },
    ...(version === "2026-04-08" ? { signing_keys: signingKeys } : { keys: signingKeys }),
  };
}
