// The public part of a tenant's configuration (SPEC "Embeds and discovery"): the embeds receive
// this object and nothing else of the tenant. It is an allowlist: a field is public only because it
// is named here.
import type { Tenant } from "../domain/tenants/tenant.ts";
import { webAddress } from "../domain/tenants/web-address.ts";
import { localeOf, type Locale } from "./texts.ts";

export type PublicConfig = {
  shop: string;
  locale: Locale;
  brand: string;
  logoUrl: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
  supportEmail: string | null;
  /** The web analytics tag; null where the store has none. */
  measurementId: string | null;
  consentMode: "basic" | "advanced";
  policyVersion: string | null;
  agentAccess: boolean;
  agentPayments: boolean;
  signIn: readonly ("federated" | "storefront")[];
  /** The service's own origin. */
  serviceUrl: string;
  /**
   * The base address of the service for this reader: the storefront's proxy (`/apps/crm`), else
   * `serviceUrl`.
   */
  at: string;
};

export type Reader = {
  /** `?locale=`; defaults to the tenant's locale. */
  locale?: string | null | undefined;
  /** The path of the storefront's app proxy (`/apps/crm`) when the request came through it. */
  pathPrefix?: string | null | undefined;
  serviceUrl: string;
};

export function toPublicConfig(
  { shop, config, connection }: Pick<Tenant, "shop" | "config" | "connection">,
  reader: Reader,
): PublicConfig {
  const isSpoken = ["en", "es", "fr"].includes(reader.locale?.slice(0, 2).toLowerCase() ?? "");
  return {
    shop,
    locale: localeOf(isSpoken ? (reader.locale as string) : config.locale),
    brand: config.brand_name ?? shop.replace(/\.myshopify\.com$/, ""),
    logoUrl: webAddress(config.logo_url),
    termsUrl: webAddress(config.terms_url),
    privacyUrl: webAddress(config.privacy_url),
    supportEmail: config.support_email ?? null,
    measurementId: config.analytics_measurement_id ?? null,
    consentMode: config.consent_mode,
    policyVersion: config.consent_policy_version ?? null,
    agentAccess: config.agent_access_enabled,
    agentPayments: config.agent_payments_enabled,
    signIn: [
      ...(config.federated_client_id ? (["federated"] as const) : []),
      ...(hasCustomerAccounts({ config, connection }) ? (["storefront"] as const) : []),
    ],
    serviceUrl: reader.serviceUrl,
    at: reader.pathPrefix ?? reader.serviceUrl,
  };
}

/**
 * The app is the client of customer accounts in every store, except where it is known that it was not
 * granted the scope: then only with a client of the store's own.
 */
function hasCustomerAccounts({
  config,
  connection,
}: Pick<Tenant, "config" | "connection">): boolean {
  const granted = connection.granted_scopes ?? ["customer_read_customers"];
  return (
    config.storefront_customer_account_client_id !== undefined ||
    granted.some((scope) => /^customer_(?:read|write)_customers$/.test(scope))
  );
}

/**
 * An embed's address for this reader. Through the proxy it has no `shop` parameter: the proxy adds
 * it.
 */
export function embedAddress({ at, serviceUrl, shop, locale }: PublicConfig, path: string): string {
  const query = new URLSearchParams(at === serviceUrl ? { shop, locale } : { locale });
  return `${at}${path}?${query}`;
}

export const mailAddress = (email: string): string =>
  `mailto:${encodeURIComponent(email).replace("%40", "@")}`;
