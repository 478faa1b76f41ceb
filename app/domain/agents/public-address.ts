// Under which addresses agents reach a store: on a host of its own, or on the service's with `?shop=`.
import type { Tenant } from "../tenants/tenant.ts";

export type PublicAddress = {
  /** Scheme and host, without a trailing slash. */
  origin: string;
  shop: string;
  /** True when the host alone says which store is meant. */
  isOwnHost: boolean;
};

export function addressOf({ origin, shop, isOwnHost }: PublicAddress, path: string): string {
  return `${origin}${path}${isOwnHost ? "" : `?shop=${shop}`}`;
}

/** Where a store with this base is reached when a request came to `host`. Hosts are listed with or without their port. */
export function publicAddressOf(
  baseUrl: string,
  tenant: Tenant,
  host: string | undefined,
): PublicAddress {
  const base = new URL(baseUrl);
  const asked = host?.toLowerCase() ?? base.host;
  const listed = tenant.config.public_hosts ?? [];
  const isOwnHost =
    asked !== base.host && (listed.includes(asked) || listed.includes(asked.replace(/:\d+$/, "")));
  return {
    origin: isOwnHost ? `${base.protocol}//${asked}` : baseUrl,
    shop: tenant.shop,
    isOwnHost,
  };
}

/** Where agents learn about a store, on a host of its own where it has one. */
export function discoveryAddresses(
  baseUrl: string,
  tenant: Tenant,
): { manifest: string; card: string; server: string } {
  const address = publicAddressOf(baseUrl, tenant, tenant.config.public_hosts?.[0]);
  return {
    manifest: addressOf(address, "/.well-known/ucp"),
    card: addressOf(address, "/.well-known/agent-card.json"),
    server: addressOf(address, "/.well-known/oauth-authorization-server"),
  };
}
