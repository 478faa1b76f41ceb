// The public part of a tenant's configuration (SPEC "Embeds and discovery"): the embeds receive
// this object and nothing else of the tenant. It is an allowlist: a field is public only because it
// is named here.
import type { OidcProviderName } from "../domain/inventory/sign-in-providers.ts";
import type { ConsentRegions } from "../domain/tenants/consent-regions.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import type { PageLook } from "./account-pages.ts";
import type { BrandTheme } from "./page-theme.ts";
import { webAddress } from "../domain/tenants/web-address.ts";
import { findLocale, localeOf, type Locale } from "./texts.ts";

export type PublicConfig = {
  shop: string;
  locale: Locale;
  brand: string;
  logoUrl: string | null;
  theme: BrandTheme;
  termsUrl: string | null;
  privacyUrl: string | null;
  supportEmail: string | null;
  /** The web analytics tag; null where the store has none. */
  measurementId: string | null;
  consentMode: "basic" | "advanced";
  policyVersion: string | null;
  /** How long a choice of the banner holds. */
  consentMonths: number;
  /** The merchant's own region rules; null where the platform's hold. */
  regions: ConsentRegions | null;
  agentAccess: boolean;
  agentPayments: boolean;
  signIn: readonly OidcProviderName[];
  /** The identity provider, where shoppers know it by its own name and mark. */
  federatedBrand: FederatedBrand | null;
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
  /** The issuer of stores that name none. */
  federatedIssuer?: string;
};

export type FederatedBrand = "google";

/** Only of the provider's own issuer: another one must not carry its mark. */
export const brandOfIssuer = (issuer: string | undefined): FederatedBrand | null =>
  URL.parse(issuer ?? "")?.origin === "https://accounts.google.com" ? "google" : null;

const nameOf = ({ shop, config }: Pick<Tenant, "shop" | "config">): string =>
  config.brand_name ?? shop.replace(/\.myshopify\.com$/, "");

/** How the store's pages look: its brand settings. `locale`: the reader's, else the store's. */
export const lookOf = (
  tenant: Pick<Tenant, "shop" | "config">,
  locale: string | null = null,
): PageLook => ({
  locale: locale ?? tenant.config.locale,
  brand: nameOf(tenant),
  logoUrl: webAddress(tenant.config.logo_url),
  theme: {
    color: tenant.config.brand_color ?? null,
    background: tenant.config.brand_background ?? null,
    cornerRadius: tenant.config.brand_corner_radius,
    font: tenant.config.brand_font,
  },
});

export function toPublicConfig(
  { shop, config, connection }: Pick<Tenant, "shop" | "config" | "connection">,
  reader: Reader,
): PublicConfig {
  const { brand, logoUrl, theme } = lookOf({ shop, config });
  return {
    shop,
    locale: findLocale([reader.locale ?? ""]) ?? localeOf(config.locale),
    brand,
    logoUrl,
    theme,
    termsUrl: webAddress(config.terms_url),
    privacyUrl: webAddress(config.privacy_url),
    supportEmail: config.support_email ?? null,
    measurementId: config.analytics_measurement_id ?? null,
    consentMode: config.consent_mode,
    policyVersion: config.consent_policy_version ?? null,
    consentMonths: config.consent_lifetime_months,
    regions: config.consent_regions ?? null,
    agentAccess: config.agent_access_enabled,
    agentPayments: config.agent_payments_enabled,
    signIn: [
      ...(config.federated_client_id ? (["federated"] as const) : []),
      ...(hasCustomerAccounts({ config, connection }) ? (["storefront"] as const) : []),
    ],
    federatedBrand: brandOfIssuer(config.federated_issuer ?? reader.federatedIssuer),
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
