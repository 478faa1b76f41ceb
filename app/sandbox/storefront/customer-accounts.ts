/**
 * The storefront's customer accounts as an OpenID provider, one realm per shop (shopify.dev "Customer
 * Account API: authenticate customers"). Discovered on the primary domain, to which the myshopify domain
 * redirects; the issuer has another address. The app is the client, by its manifest's
 * [customer_authentication].
 */
import { json, redirect, text } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { Realm } from "../oidc/people.ts";
import { createOidcProvider } from "../oidc/provider.ts";
import type { OidcEndpoint } from "../oidc/provider.ts";
import { OIDC_DEFAULTS, type OidcSettings } from "../oidc/settings.ts";
import { findBySubject, realmOf, subjectOf } from "./accounts/account-realms.ts";
import type { CustomerPatch } from "./customers.ts";
import { answerCustomerGraphql } from "./graphql/customer-account-api.ts";
import { primaryHostOf, SHOP_DOMAIN } from "./state.ts";
import type { Customer, ShopState } from "./state.ts";

export type CustomerAccountSettings = OidcSettings & {
  /**
   * null: the client is the app, a public one. Else a confidential client with an id of its own, as a
   * store makes it by hand.
   */
  clientSecret: string | null;
};

const CONFIDENTIAL_CLIENT_ID = "shp_5a1d60c2-8f0e-4a57-9d3b-2c6f4e1b7a90";

const PATHS = /^\/(?:\.well-known\/|authentication\/|customer\/api\/)/;
const API_PATH = /^\/customer\/api\/(\d{4}-\d{2})\/graphql$/;
const API_VERSION = "2026-07";
const API_SCOPE = "customer-account-api:full";

type Storefront = {
  ensureShop(domain: string): ShopState;
  shopAtPrimaryHost(host: string): ShopState | undefined;
  /** Creates a customer (no gid) or updates one, and sends the webhooks. */
  saveCustomer(domain: string, patch: CustomerPatch): Customer;
};

/** Whether a path inside a shop belongs to customer accounts. */
export function isCustomerAccountPath(path: string): boolean {
  return PATHS.test(path.replace(/^\/[^/]+/, ""));
}

export function createCustomerAccounts(
  storefront: Storefront,
  addresses: { url: () => string; appUrl: () => string },
  appClientId: string,
  overrides: Partial<CustomerAccountSettings> = {},
) {
  const settings: CustomerAccountSettings = {
    ...OIDC_DEFAULTS,
    clientSecret: null,
    ...overrides,
  };
  const client = () => ({
    clientId: settings.clientSecret === null ? appClientId : CONFIDENTIAL_CLIENT_ID,
    clientSecret: settings.clientSecret,
    redirectUris: [`${addresses.appUrl()}/auth/storefront/callback`],
  });
  const provider = createOidcProvider({
    name: "storefront",
    client,
    appUrl: addresses.appUrl,
    settings,
  });
  const storeUrl = (domain: string): string => `${addresses.url()}/storefront/${domain}`;
  const realmIn = (shop: ShopState): Realm =>
    realmOf(shop, storeUrl(shop.domain), (domain, patch) => storefront.saveCustomer(domain, patch));

  const apiAddresses = (shop: ShopState): ApiResponse => {
    const api = `${storeUrl(shop.domain)}/customer/api`;
    return json(200, { graphql_api: `${api}/${API_VERSION}/graphql`, mcp_api: `${api}/mcp` });
  };
  const findSignedIn = (shop: ShopState, realm: Realm, accessToken: string) => {
    const grant = provider.findGrant(realm, accessToken);
    return grant?.scopes.includes(API_SCOPE) ? findBySubject(shop, grant.person.sub) : undefined;
  };

  return {
    ...provider.controls,
    settings,
    get clientId(): string {
      return client().clientId;
    },
    /** The `sub` of a customer. */
    subject: (domain: string, gid: string): string => subjectOf(storefront.ensureShop(domain), gid),
    issuer: (domain: string): string => realmIn(storefront.ensureShop(domain)).issuer,
    /** `path` begins with a domain of the shop. */
    handle(call: Call): ApiResponse | Promise<ApiResponse> {
      const [, domain = "", ...rest] = call.path.split("/");
      const path = `/${rest.join("/")}`;
      const shop = SHOP_DOMAIN.test(domain)
        ? storefront.ensureShop(domain)
        : storefront.shopAtPrimaryHost(domain);
      if (!shop) return text(404, "There is no store here");
      if (path.startsWith("/.well-known/") && domain !== primaryHostOf(shop))
        return redirect(`${storeUrl(primaryHostOf(shop))}${path}`, 301);
      if (path === "/.well-known/customer-account-api") return apiAddresses(shop);
      const realm = realmIn(shop);
      if (API_PATH.test(path))
        return answerCustomerGraphql(call, (accessToken) => findSignedIn(shop, realm, accessToken));
      const endpoint = endpointOf(shop, path);
      return endpoint ? provider.answer(realm, endpoint, call) : json(404, { error: "not_found" });
    },
  };
}

function endpointOf(shop: ShopState, path: string): OidcEndpoint | undefined {
  if (path === "/.well-known/openid-configuration") return "discovery";
  const below = `/authentication/${shop.id}`;
  const endpoints: Record<string, OidcEndpoint> = {
    "/oauth/authorize": "authorize",
    "/oauth/token": "token",
    "/logout": "logout",
    "/.well-known/jwks.json": "jwks",
  };
  return path.startsWith(below) ? endpoints[path.slice(below.length)] : undefined;
}
