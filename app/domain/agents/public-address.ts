// A store's address for agents: its own host, or the service's with `?shop=`.
import { normaliseHost } from "../tenants/settings/field-schemas.ts";
import { isLoopbackHost } from "../tenants/public-hosts.ts";
import type { Tenant } from "../tenants/tenant.ts";

export type PublicAddress = {
  /** Scheme and host, without a trailing slash. */
  origin: string;
  shop: string;
  /** True when the host alone identifies the store. */
  isOwnHost: boolean;
};

export function addressOf({ origin, shop, isOwnHost }: PublicAddress, path: string): string {
  return `${origin}${path}${isOwnHost ? "" : `?shop=${shop}`}`;
}

/**
 * The store's address for a request to `host`. Its port is the caller's word, and caches keep one
 * document for all ports, so that only on this machine it is believed.
 */
export function publicAddressOf(
  baseUrl: string,
  tenant: Tenant,
  host: string | undefined,
): PublicAddress {
  const base = new URL(baseUrl);
  const asked = host?.toLowerCase() ?? base.host;
  const name = normaliseHost(asked);
  const isOwnHost = asked !== base.host && tenant.publicHosts.includes(name);
  return {
    origin: isOwnHost ? `${base.protocol}//${isLoopbackHost(name) ? asked : name}` : baseUrl,
    shop: tenant.shop,
    isOwnHost,
  };
}

/** On this machine a host uses the service's port; elsewhere the default one. */
function withPort(baseUrl: string, host: string): string {
  const { port } = new URL(baseUrl);
  return port && isLoopbackHost(host) ? `${host}:${port}` : host;
}

/** Discovery addresses of a store, on its own host if it has one. */
export function discoveryAddresses(
  baseUrl: string,
  tenant: Tenant,
): { manifest: string; card: string; server: string } {
  const [host] = tenant.publicHosts;
  const address = publicAddressOf(baseUrl, tenant, host && withPort(baseUrl, host));
  return {
    manifest: addressOf(address, "/.well-known/ucp"),
    card: addressOf(address, "/.well-known/agent-card.json"),
    server: addressOf(address, "/.well-known/oauth-authorization-server"),
  };
}
