// Metadata of the authorization server (RFC 8414) and of the protected resource (RFC 9728). An
// issuer has no query, so a store without its own host has two: the service, for clients that name
// the store by `?shop=`, and the service with the store as its path, for clients that only follow links.
import type { Tenant } from "../../tenants/tenant.ts";
import { addressOf, type PublicAddress } from "../public-address.ts";
import { offeredScopes } from "./scopes.ts";

/**
 * The value of `issuer=` at the authorization endpoint for the issuer that has the store as its
 * path.
 */
const BY_PATH = "store";

export const issuerOf = (
  { origin, shop, isOwnHost }: PublicAddress,
  form: string | null,
): string => (form === BY_PATH && !isOwnHost ? `${origin}/${shop}` : origin);

/**
 * Has no query where that is possible: clients add parameters to this address, and the SDK of Python then
 * writes a second question mark, while that of C# replaces the query.
 */
function authorizationEndpoint(
  address: PublicAddress,
  isByPath: boolean,
  deployedShop: string | undefined,
): string {
  const endpoint = `${address.origin}/oauth/authorize`;
  if (address.isOwnHost) return endpoint;
  if (isByPath) return `${endpoint}/${address.shop}`;
  return address.shop === deployedShop ? endpoint : addressOf(address, "/oauth/authorize");
}

/** The page of the endpoint that has the store as its path. */
export function toAuthorizePage(shop: string, request: URLSearchParams): string {
  const query = new URLSearchParams(request);
  query.set("shop", shop);
  query.set("issuer", BY_PATH);
  return `/oauth/authorize?${query}`;
}

/**
 * `isByPath`: of the issuer that has the store as its path. `deployedShop`: see `issuersOf`.
 */
export function buildServerMetadata(
  tenant: Tenant,
  address: PublicAddress,
  { isByPath, deployedShop }: { isByPath: boolean; deployedShop: string | undefined },
): object {
  const { privacy_url: policy, terms_url: terms } = tenant.config;
  return {
    issuer: issuerOf(address, isByPath ? BY_PATH : null),
    authorization_endpoint: authorizationEndpoint(address, isByPath, deployedShop),
    token_endpoint: addressOf(address, "/oauth/token"),
    registration_endpoint: addressOf(address, "/oauth/register"),
    revocation_endpoint: addressOf(address, "/oauth/revoke"),
    scopes_supported: offeredScopes(tenant),
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    ui_locales_supported: ["en", "es", "fr"],
    ...(policy && { op_policy_uri: policy }),
    ...(terms && { op_tos_uri: terms }),
  };
}

/** Resources with their own metadata document beside the whole service. */
export const RESOURCES = ["mcp", "a2a"] as const;

/**
 * The issuers, the one that clients use first. `deployedShop` is the store that requests need not
 * name.
 */
export function issuersOf(
  address: PublicAddress,
  deployedShop: string | undefined,
): readonly [string, ...string[]] {
  const isNamed = address.isOwnHost || address.shop === deployedShop;
  // Most clients can name the store only by the path.
  return isNamed ? [address.origin] : [issuerOf(address, BY_PATH), address.origin];
}

export function buildResourceMetadata(
  tenant: Tenant,
  address: PublicAddress,
  resource: (typeof RESOURCES)[number] | null,
  deployedShop: string | undefined,
): object {
  return {
    resource: resource ? `${address.origin}/${resource}` : address.origin,
    authorization_servers: issuersOf(address, deployedShop),
    scopes_supported: offeredScopes(tenant),
    bearer_methods_supported: ["header"],
    resource_name: tenant.config.brand_name ?? tenant.shop,
    ...(tenant.config.privacy_url && { resource_policy_uri: tenant.config.privacy_url }),
    ...(tenant.config.terms_url && { resource_tos_uri: tenant.config.terms_url }),
  };
}

/** RFC 8707: our tokens are valid at this service only. */
export function isOwnResource(
  baseUrl: string,
  { origin }: PublicAddress,
  resource: string,
): boolean {
  const url = URL.parse(resource);
  return (
    url !== null &&
    !url.hash &&
    (url.origin === new URL(origin).origin || url.origin === new URL(baseUrl).origin)
  );
}
