// Every field of a tenant's configuration, once (SPEC "Tenant configuration record", DECISIONS 2).
// Validation, masking, encryption, defaults, the editors of the settings and the OpenAPI document
// derive from this table; settings/settings-pages.ts says where each setting stands.
import { z } from "zod";
import {
  RETENTION_SETTINGS,
  retentionSettingNames,
  type RetentionSettingName,
} from "../inventory/retention-settings.ts";
import { TAG_CATEGORIES } from "../inventory/tag-categories.ts";
import {
  DEFAULT_LIFETIME_MONTHS,
  MIN_LIFETIME_MONTHS,
  MAX_LIFETIME_MONTHS,
} from "./banner/consent-lifetime.ts";
import { ConsentRegions } from "./consent-regions.ts";
import { NO_BLOCKING, ScriptBlocking } from "../vendors/script-blocking.ts";
import { LANGUAGES } from "../../locales/languages.ts";
import { HOME_REGION } from "../../runtime/settings.ts";
import {
  color,
  inboundSecret,
  isHostName,
  link,
  normaliseHost,
  origin,
  secretText,
  storeUrl,
  text,
} from "./settings/field-schemas.ts";
import { REASONS } from "./settings/field-reasons.ts";
import { DEFAULT_TAG_RULES, TagRules } from "./settings/tag-rules.ts";

export const SHOP_PATTERN = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/;

/** About a third of a second of a core: hashing threads are shared by all stores. */
export const MAX_PASSWORD_ITERATIONS = 1_000_000;

export type TenantField = {
  schema: z.ZodType;
  label: string;
  /** Encrypted at rest, masked in every response. */
  secret?: true;
  /** An address that we call for the tenant: https and public, unless OUTBOUND_ALLOW lists it. */
  calledByUs?: true;
  /** An address that may be pre-signed: then it is encrypted at rest, and its query masked in every response. */
  mayBePresigned?: true;
  /**
   * Authenticates a caller that presents it: below MIN_SECRET_LENGTH it is rejected when saved, and
   * ignored when stored.
   */
  isInbound?: true;
  /** Only the platform's ADMIN_KEY may change it. */
  platformOnly?: true;
};

const CHANNEL_NAME = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/, REASONS.channelName)
  .max(40);

const EventRoute = z.object({
  event_type: z
    .string()
    .regex(/^[A-Za-z0-9_.*-]+$/, REASONS.wildcards)
    .max(120),
  channels: z.array(CHANNEL_NAME).min(1).max(20),
  priority: z.number().int().min(1).max(5).optional(),
});

const MAX_RECIPIENTS = 10;
const recipients = z.array(z.email()).max(MAX_RECIPIENTS);

type RetentionField = { schema: z.ZodDefault<z.ZodNumber>; label: string };
const RETENTION_FIELDS = Object.fromEntries(
  retentionSettingNames.map((name): [string, RetentionField] => {
    const { label, days, min, max } = RETENTION_SETTINGS[name];
    return [name, { schema: z.number().int().min(min).max(max).default(days), label }];
  }),
) as Record<RetentionSettingName, RetentionField>;

export const TENANT_FIELDS = {
  storefront_admin_token: {
    schema: secretText,
    label: "Admin access token",
    secret: true,
  },
  storefront_refresh_token: {
    schema: secretText,
    label: "Refresh token",
    secret: true,
  },
  storefront_token_expires_at: {
    schema: z.iso.datetime({ offset: true }),
    label: "Access token expires",
  },
  storefront_store_domain: {
    schema: z.string().regex(SHOP_PATTERN, "must look like name.myshopify.com"),
    label: "Store domain",
  },
  storefront_app_secret: {
    schema: inboundSecret(),
    label: "App secret",
    secret: true,
    isInbound: true,
  },
  storefront_shop_id: {
    schema: z.coerce.string().regex(/^\d+$/, REASONS.number),
    label: "Shop id",
  },
  storefront_api_token: {
    schema: secretText,
    label: "Storefront API token",
    secret: true,
  },
  public_hosts: {
    schema: z
      .array(z.string().max(260).transform(normaliseHost).refine(isHostName, REASONS.hostName))
      .max(50)
      .transform((hosts) => [...new Set(hosts)]),
    label: "Public hosts",
  },
  region: {
    schema: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, "must be a region name")
      .default(HOME_REGION),
    label: "Region",
    platformOnly: true,
  },
  access_role: {
    schema: z.enum(["creator", "shared", "private"]).default("private"),
    label: "Access role",
    platformOnly: true,
  },
  admin_key: {
    schema: inboundSecret(200),
    label: "Tenant API key",
    secret: true,
    isInbound: true,
  },
  jwt_secret: {
    schema: inboundSecret(400),
    label: "Session secret",
    secret: true,
    isInbound: true,
  },
  allowed_origins: {
    schema: z.array(origin).max(50),
    label: "Allowed origins",
  },
  password_iterations: {
    schema: z.number().int().min(100_000).max(MAX_PASSWORD_ITERATIONS).default(100_000),
    label: "Password hash iterations",
  },
  require_email_verification: {
    schema: z.boolean().default(false),
    label: "Require a verified email",
  },
  auth_redirect_origin: {
    schema: origin,
    label: "Return to",
  },
  federated_issuer: {
    schema: link,
    label: "Identity provider",
    calledByUs: true,
  },
  federated_client_id: {
    schema: text(400),
    label: "Identity provider client id",
  },
  federated_client_secret: {
    schema: secretText,
    label: "Identity provider client secret",
    secret: true,
  },
  storefront_customer_account_client_id: {
    schema: text(400),
    label: "Customer account client id",
  },
  storefront_customer_account_client_secret: {
    schema: secretText,
    label: "Customer account client secret",
    secret: true,
  },
  cms_api_token: { schema: secretText, label: "CMS API token", secret: true },
  cms_site_id: { schema: text(200), label: "CMS site id" },
  cms_customers_collection_id: {
    schema: text(200),
    label: "Customers collection id",
  },
  cms_tags_collection_id: { schema: text(200), label: "Tags collection id" },
  analytics_measurement_id: {
    schema: z.string().regex(/^G-[A-Z0-9]+$/, REASONS.measurementId),
    label: "Measurement id",
  },
  analytics_api_secret: {
    schema: secretText,
    label: "Analytics API secret",
    secret: true,
  },
  flow_enabled: {
    schema: z.boolean().default(false),
    label: "Start workflows of Shopify Flow",
  },
  profile_platform_enabled: {
    schema: z.boolean().default(false),
    label: "Send hashed profiles",
  },
  profile_platform_url: {
    schema: link,
    label: "Streaming address",
    calledByUs: true,
  },
  profile_platform_token: {
    schema: secretText,
    label: "Streaming token",
    secret: true,
  },
  erp_base_url: { schema: link, label: "ERP address", calledByUs: true },
  erp_token: {
    schema: inboundSecret(),
    label: "Inbound ERP token",
    secret: true,
    isInbound: true,
  },
  erp_username: { schema: text(200), label: "ERP user" },
  erp_password: { schema: secretText, label: "ERP password", secret: true },
  erp_format: {
    schema: z.enum(["odata_json", "xml"]).default("odata_json"),
    label: "ERP document format",
  },
  erp_defaults: {
    schema: z.strictObject({
      bukrs: text(20).optional(),
      vkorg: text(20).optional(),
      vtweg: text(20).optional(),
    }),
    label: "ERP organization",
  },
  retail_analytics_a_url: {
    schema: storeUrl,
    label: "Retail measurement A address",
    calledByUs: true,
    mayBePresigned: true,
  },
  retail_analytics_a_access_key_id: {
    schema: text(200),
    label: "Retail measurement A access key id",
    secret: true,
  },
  retail_analytics_a_secret_access_key: {
    schema: secretText,
    label: "Retail measurement A secret access key",
    secret: true,
  },
  retail_analytics_b_url: {
    schema: link,
    label: "Retail measurement B address",
    calledByUs: true,
  },
  retail_analytics_b_token: {
    schema: secretText,
    label: "Retail measurement B token",
    secret: true,
  },
  wms_system: { schema: text(80).default("none"), label: "Warehouse system" },
  wms_base_url: {
    schema: link,
    label: "Warehouse address",
    calledByUs: true,
  },
  email_from: {
    schema: z.string().regex(/^[^<>\r\n]+ <[^@<>\s]+@[^@<>\s]+>$/, REASONS.sender),
    label: "Sender",
  },
  email_api_key: {
    schema: secretText,
    label: "Email API key",
    secret: true,
  },
  alert_emails: { schema: recipients, label: "Delivery alerts" },
  privacy_emails: { schema: recipients, label: "Privacy requests" },
  support_email: { schema: z.email(), label: "Support email" },
  enabled_channels: {
    schema: z.array(CHANNEL_NAME).max(40),
    label: "Enabled channels",
  },
  event_bus_phase: {
    schema: z.number().int().min(1).max(5),
    label: "Phase of the move to the event bus",
  },
  event_routes: { schema: z.array(EventRoute).max(200), label: "Event routes" },
  agent_access_enabled: {
    schema: z.boolean().default(true),
    label: "Agents may act for shoppers who consent",
  },
  agent_payments_enabled: {
    schema: z.boolean().default(true),
    label: "Agents may pay with a mandate",
  },
  consent_policy_version: { schema: text(40), label: "Policy version" },
  consent_lifetime_months: {
    schema: z
      .number()
      .int()
      .min(MIN_LIFETIME_MONTHS)
      .max(MAX_LIFETIME_MONTHS)
      .default(DEFAULT_LIFETIME_MONTHS),
    label: "Months until the banner asks again",
  },
  consent_mode: {
    schema: z.enum(["basic", "advanced"]).default("basic"),
    label: "Consent mode",
  },
  consent_regions: { schema: ConsentRegions, label: "Consent by region" },
  script_blocking: {
    schema: ScriptBlocking.default(NO_BLOCKING),
    label: "Known vendors' scripts wait for consent",
  },
  self_service_tag_categories: {
    schema: z.array(z.enum(TAG_CATEGORIES)).default(["campaign", "marketing"]),
    label: "Tags shoppers may change",
  },
  tag_rules: {
    schema: TagRules.default(DEFAULT_TAG_RULES),
    label: "Rules of the tags that are set automatically",
  },
  brand_name: { schema: text(120), label: "Brand name" },
  logo_url: { schema: link, label: "Logo" },
  brand_color: { schema: color, label: "Brand color" },
  brand_background: { schema: color, label: "Background color" },
  brand_corner_radius: {
    schema: z.number().int().min(0).max(24).default(8),
    label: "Corner radius (pixels)",
  },
  brand_font: {
    schema: z.enum(["system", "humanist", "geometric", "rounded", "serif"]).default("system"),
    label: "Font",
  },
  terms_url: { schema: link, label: "Terms of use" },
  privacy_url: { schema: link, label: "Privacy policy" },
  locale: { schema: z.enum(LANGUAGES).default("en"), label: "Language" },
  ...RETENTION_FIELDS,
} as const satisfies Record<string, TenantField>;

export type TenantFieldName = keyof typeof TENANT_FIELDS;
type Output<N extends TenantFieldName> = z.output<(typeof TENANT_FIELDS)[N]["schema"]>;
type WithDefault = {
  [N in TenantFieldName]: (typeof TENANT_FIELDS)[N]["schema"] extends z.ZodDefault ? N : never;
}[TenantFieldName];

/** A tenant's configuration in code: secrets decrypted, defaults filled in. */
export type TenantConfig = { [N in WithDefault]: Output<N> } & {
  [N in Exclude<TenantFieldName, WithDefault>]?: Output<N> | undefined;
};

export const tenantFieldNames = Object.keys(TENANT_FIELDS) as TenantFieldName[];
export const tenantField = (name: TenantFieldName): TenantField => TENANT_FIELDS[name];
export const isTenantField = (name: string): name is TenantFieldName =>
  Object.hasOwn(TENANT_FIELDS, name);

/** The values of a tenant that saved nothing. */
export function defaultFields(): Record<string, unknown> {
  const defaults = tenantFieldNames.map(
    (name) => [name, TENANT_FIELDS[name].schema.safeParse(undefined)] as const,
  );
  return Object.fromEntries(
    defaults.flatMap(([name, parsed]) =>
      parsed.success && parsed.data !== undefined ? [[name, parsed.data]] : [],
    ),
  );
}

/** Address and credentials of the ERP; the document format alone is harmless. */
export const isErpField = (name: string): boolean =>
  isTenantField(name) && name.startsWith("erp_") && name !== "erp_format";

/** Where a store's events go. */
export const isBusField = (name: string): boolean =>
  name === "enabled_channels" || name === "event_bus_phase" || name === "event_routes";
