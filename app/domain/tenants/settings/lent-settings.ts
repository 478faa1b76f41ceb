// The service's settings (environment, saved platform configuration) that apply to a store without
// its own. A group is shared completely or not at all (DECISIONS 2): a credential of the service is
// never sent to an address, or used with a sender, that a store chose. The lookups derive from this
// table; a setting in no group is not shared. Reasons: docs/decisions/027-lent-settings.md.
import type { Config } from "../../../runtime/config.ts";
import type { SettingName } from "../../../runtime/settings.ts";
import type { PlatformConfig } from "./platform-config.ts";
import type { TenantConfig, TenantFieldName } from "../tenant-config.ts";

type LentGroup = {
  /**
   * Each field with the environment setting of the service's value; null: only saved platform
   * configuration has one.
   */
  fields: Partial<Record<TenantFieldName, SettingName | null>>;
  /**
   * `service`: the service's own, for every store. `deployed_store`: of the store that
   * STOREFRONT_STORE_DOMAIN names; of every store while it names none. `named_store`: of the named store
   * only.
   */
  of: "service" | "deployed_store" | "named_store";
  /** Only for stores with the access role `creator` (SPEC "Stakeholder access"). */
  creatorsOnly?: true;
  /**
   * The store has its own as soon as it saved one of these; defaults to all fields of the group.
   */
  decidedBy?: readonly TenantFieldName[];
  /** Public values that also apply beside a store's own credentials. */
  defaults?: readonly TenantFieldName[];
};

export const LENT_GROUPS = {
  identity_provider: {
    fields: {
      federated_issuer: "FEDERATED_ISSUER",
      federated_client_id: "FEDERATED_CLIENT_ID",
      federated_client_secret: "FEDERATED_CLIENT_SECRET",
    },
    of: "service",
    // A store may have its own client at the service's provider; the service's client is valid at
    // no other one.
    defaults: ["federated_issuer"],
  },
  email: {
    fields: { email_from: "EMAIL_FROM", email_api_key: "EMAIL_API_KEY" },
    of: "service",
    // The key can send as any address on its domains, so a store's own sender is ignored with the
    // service's key.
    decidedBy: ["email_api_key"],
  },
  erp: {
    fields: { erp_base_url: null, erp_username: null, erp_password: null },
    of: "service",
    creatorsOnly: true,
  },
  erp_inbound: { fields: { erp_token: "ERP_TOKEN" }, of: "service", creatorsOnly: true },
  analytics: {
    fields: {
      analytics_measurement_id: "ANALYTICS_MEASUREMENT_ID",
      analytics_api_secret: "ANALYTICS_API_SECRET",
    },
    of: "deployed_store",
  },
  customer_accounts: {
    fields: {
      storefront_customer_account_client_id: "STOREFRONT_CUSTOMER_ACCOUNT_CLIENT_ID",
      storefront_customer_account_client_secret: null,
    },
    of: "deployed_store",
  },
  admin_token: {
    fields: {
      storefront_admin_token: "STOREFRONT_ADMIN_TOKEN",
      storefront_refresh_token: null,
      storefront_token_expires_at: null,
    },
    of: "named_store",
  },
  shop_id: { fields: { storefront_shop_id: "STOREFRONT_SHOP_ID" }, of: "deployed_store" },
  return_origin: { fields: { auth_redirect_origin: "AUTH_REDIRECT_ORIGIN" }, of: "deployed_store" },
} as const satisfies Record<string, LentGroup>;

const groups: readonly LentGroup[] = Object.values(LENT_GROUPS);
const namesOf = (group: LentGroup) => Object.keys(group.fields) as TenantFieldName[];

type Fields = Partial<Record<TenantFieldName, unknown>>;

/**
 * The store's saved fields combined with the service's: of each group all of the store's values, or
 * all of the service's. Fields of no group stay unchanged.
 */
export function withLentSettings(
  saved: Fields,
  { shop, config, platform }: { shop: string; config: Config; platform: PlatformConfig },
): Fields {
  const fields: Fields = { ...saved };
  for (const group of groups) {
    if (!isLentTo(group, shop, config, saved)) continue;
    const isOwn = (group.decidedBy ?? namesOf(group)).some((name) => saved[name] !== undefined);
    for (const name of namesOf(group)) {
      const lent = serviceValue(group, name, config, platform);
      if (!isOwn) fields[name] = lent;
      else if (group.defaults?.includes(name)) fields[name] = saved[name] ?? lent;
    }
  }
  if (saved.email_api_key === undefined) fields.email_from = lentSender(fields, saved);
  return fields;
}

function isLentTo(group: LentGroup, shop: string, config: Config, saved: Fields): boolean {
  if (group.creatorsOnly && saved.access_role !== "creator") return false;
  const named = config.STOREFRONT_STORE_DOMAIN;
  if (group.of === "service" || named === shop) return true;
  return group.of === "deployed_store" && named === undefined;
}

/** Saved platform configuration overrides the environment (SPEC "What the service does"). */
function serviceValue(
  group: LentGroup,
  name: TenantFieldName,
  config: Config,
  platform: PlatformConfig,
): unknown {
  const saved = group.of === "service" ? (platform as Fields)[name] : undefined;
  const setting = group.fields[name];
  return saved ?? (setting ? config[setting] : undefined);
}

const MAX_DISPLAY_NAME_LENGTH = 78;
/** A sender's name may be as long as a request's body. */
const MAX_READ_LENGTH = 1_000;

/**
 * The service's sender address with the store's name: the name of the store's own sender, else its
 * brand.
 */
function lentSender(fields: Fields, saved: Fields): TenantConfig["email_from"] {
  const [sender, own, brand] = [fields.email_from, saved.email_from, saved.brand_name].map(
    (value) => (typeof value === "string" ? value : ""),
  ) as [string, string, string];
  const address = sender.slice(addressStart(sender));
  if (!address) return undefined;
  const name = toDisplayName(own.slice(0, addressStart(own))) || toDisplayName(brand);
  return name ? `${name} ${address}` : sender;
}

/** The index of the `<address>` at the end of a sender; the sender's length when there is none. */
function addressStart(sender: string): number {
  const start = sender.endsWith(">") ? sender.lastIndexOf("<") : -1;
  return start === -1 ? sender.length : start;
}

const SEPARATOR = /^[<>()[\]@,;:"\\]$/;
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;
/** The marks around an encoded word (RFC 2047), which a mail program shows decoded. */
const ENCODED_WORD = /=\?|\?=/g;

/** Whether the sign, or the one that it looks like, separates or quotes addresses (RFC 5322). */
const separates = (sign: string): boolean =>
  INVISIBLE.test(sign) || SEPARATOR.test(sign.normalize("NFKC"));

/** A name must not look like a second sender. */
function toDisplayName(text: string): string {
  const name = Array.from(text.slice(0, MAX_READ_LENGTH), (sign) => (separates(sign) ? " " : sign))
    .join("")
    .replace(ENCODED_WORD, " ")
    .replace(/\s+/g, " ")
    .trim();
  return Array.from(name).slice(0, MAX_DISPLAY_NAME_LENGTH).join("").trim();
}
