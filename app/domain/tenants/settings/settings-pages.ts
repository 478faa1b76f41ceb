// The pages of the settings and what stands on each: every setting of a store has its place here,
// once. The index, the pages, the integrations and the standalone form derive from this list.
import type { TenantFieldName } from "../tenant-config.ts";

type Card = {
  name: string;
  fields: readonly TenantFieldName[];
  /** The system whose connection the card's button tests. */
  test?: string;
};

/** A system that the store connects: its settings, and the channels that deliver to it. */
type Integration = Card & { channels: readonly [string, ...string[]] };

export const INTEGRATIONS = [
  {
    name: "erp",
    channels: ["erpsys", "erp_generic"],
    fields: [
      "erp_base_url",
      "erp_format",
      "erp_username",
      "erp_password",
      "erp_token",
      "erp_defaults",
    ],
    test: "erpsys",
  },
  {
    name: "cms",
    channels: ["cms"],
    fields: [
      "cms_api_token",
      "cms_site_id",
      "cms_customers_collection_id",
      "cms_tags_collection_id",
    ],
    test: "cms",
  },
  {
    name: "analytics",
    channels: ["web_analytics"],
    fields: ["analytics_measurement_id", "analytics_api_secret"],
    test: "web_analytics",
  },
  {
    name: "profile",
    channels: ["profile_platform"],
    fields: ["profile_platform_url", "profile_platform_token", "profile_platform_enabled"],
  },
  {
    name: "retail_a",
    channels: ["retail_analytics_a"],
    fields: [
      "retail_analytics_a_url",
      "retail_analytics_a_access_key_id",
      "retail_analytics_a_secret_access_key",
    ],
  },
  {
    name: "retail_b",
    channels: ["retail_analytics_b"],
    fields: ["retail_analytics_b_url", "retail_analytics_b_token"],
  },
  {
    name: "email",
    channels: ["email"],
    fields: ["email_from", "email_api_key"],
    test: "email",
  },
  { name: "flow", channels: ["flow"], fields: ["flow_enabled"] },
] as const satisfies readonly Integration[];

export const SETTINGS_PAGES = [
  {
    name: "brand",
    cards: [
      { name: "brand", fields: ["brand_name", "logo_url", "brand_color", "locale"] },
      { name: "look", fields: ["brand_background", "brand_corner_radius", "brand_font"] },
      { name: "contact", fields: ["support_email", "terms_url", "privacy_url"] },
    ],
  },
  {
    name: "sign-in",
    cards: [
      { name: "accounts", fields: ["require_email_verification"] },
      {
        name: "identity_provider",
        fields: ["federated_issuer", "federated_client_id", "federated_client_secret"],
      },
    ],
  },
  {
    name: "consent",
    cards: [
      {
        name: "consent",
        fields: ["consent_mode", "consent_policy_version", "consent_lifetime_months"],
      },
      { name: "shopper_tags", fields: ["self_service_tag_categories"] },
    ],
  },
  { name: "regions", cards: [{ name: "regions", fields: ["consent_regions"] }] },
  // Edited on the screen of the storefront check.
  { name: "scripts", cards: [{ name: "scripts", fields: ["script_blocking"] }] },
  {
    name: "integrations",
    cards: [
      ...INTEGRATIONS,
      // Edited in the screen of the events, which the list of integrations links to.
      { name: "destinations", fields: ["enabled_channels", "event_routes"] },
    ],
  },
  {
    name: "notifications",
    cards: [{ name: "notifications", fields: ["alert_emails", "privacy_emails"] }],
  },
  {
    name: "agents",
    cards: [{ name: "agents", fields: ["agent_access_enabled", "agent_payments_enabled"] }],
  },
  {
    name: "privacy",
    cards: [
      {
        name: "retention",
        fields: [
          "event_log_retention_days",
          "delivery_log_retention_days",
          "webhook_retention_days",
          "archive_retention_days",
          "tag_run_retention_days",
          "privacy_request_retention_days",
          "data_export_retention_days",
          "agent_activity_retention_days",
          "access_log_retention_days",
        ],
      },
    ],
  },
  {
    name: "advanced",
    cards: [
      {
        name: "addresses",
        fields: ["allowed_origins", "public_hosts", "auth_redirect_origin"],
      },
      {
        name: "security",
        fields: ["admin_key", "jwt_secret", "password_iterations", "access_role", "region"],
      },
      {
        name: "store",
        fields: [
          "storefront_store_domain",
          "storefront_shop_id",
          "storefront_admin_token",
          "storefront_refresh_token",
          "storefront_token_expires_at",
          "storefront_app_secret",
          "storefront_api_token",
          "storefront_customer_account_client_id",
          "storefront_customer_account_client_secret",
        ],
        test: "storefront",
      },
      { name: "bus", fields: ["wms_system", "wms_base_url", "event_bus_phase"] },
    ],
  },
  // The places where the app shows itself have states and buttons: merchant/place-list.ts lists them.
  { name: "places", cards: [] },
  // The connection to the store has no settings: its page shows a state and offers buttons.
  { name: "connection", cards: [] },
  // Edited in the screen of the tags.
  { name: "tags", cards: [{ name: "tag_rules", fields: ["tag_rules"] }] },
] as const satisfies readonly { name: string; cards: readonly Card[] }[];

type ListedPage = (typeof SETTINGS_PAGES)[number];
export type SettingsPageName = ListedPage["name"];
export type SettingsCardName = ListedPage["cards"][number]["name"];
export type IntegrationName = (typeof INTEGRATIONS)[number]["name"];

export type SettingsCard = Card & { name: SettingsCardName };

/** The pages that are screens of their own; each of the others is a form of its cards. */
const OWN_SCREENS = [
  "integrations",
  "regions",
  "scripts",
  "agents",
  "places",
  "connection",
  "tags",
] as const;
export type FormPageName = Exclude<SettingsPageName, (typeof OWN_SCREENS)[number]>;
type FormPage = { name: FormPageName; cards: readonly SettingsCard[] };

/** A page that is a form; null when there is none of this name. */
export const findFormPage = (name: string): FormPage | null =>
  (SETTINGS_PAGES.find((one) => one.name === name && !OWN_SCREENS.some((own) => own === name)) as
    FormPage | undefined) ?? null;

export const findIntegration = (name: string) => INTEGRATIONS.find((one) => one.name === name);

const ROOT = "/app/settings";
export const DESTINATIONS_PATH = "/app/events/destinations";

/** Pages that are screens outside the settings. */
const ELSEWHERE: Partial<Record<SettingsPageName, string>> = {
  scripts: "/app/consent/storefront",
  tags: "/app/tags",
};
export const pathOfPage = (name: SettingsPageName): string => ELSEWHERE[name] ?? `${ROOT}/${name}`;
export const pathOfIntegration = (name: IntegrationName): string => `${ROOT}/integrations/${name}`;

/** The new paths of links with an anchor of the former single page. */
export const SETTINGS_ANCHORS: Readonly<Record<string, string>> = {
  sign_in: pathOfPage("sign-in"),
  retail: pathOfPage("integrations"),
  ...Object.fromEntries(
    SETTINGS_PAGES.flatMap((page) => page.cards.map((card) => [card.name, pathOfPage(page.name)])),
  ),
  ...Object.fromEntries(INTEGRATIONS.map(({ name }) => [name, pathOfIntegration(name)])),
};
