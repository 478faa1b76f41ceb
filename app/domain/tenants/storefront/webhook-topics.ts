// The storefront webhooks we subscribe to, once: the registration at install, shopify.app.toml, the
// paths and the handlers derive from this list (SPEC "Inbound events", DECISIONS 9).

/** The contract names two paths; the others are the topic with `/`, `.` and `_` as `-`. */
const NAMED_PATHS: Record<string, string> = {
  "customers/create": "customer-create",
  "customers/update": "customer-update",
};

/**
 * A topic has one owner, because two subscriptions are two deliveries and the API does not list
 * what the manifest holds:
 *   manifest  about the app itself: shopify.app.toml subscribes for every store, at the app's address
 *   api       about a store's data: registered for each store, at the address of its bus phase
 */
type Owner = "manifest" | "api";

const topic = <T extends string, O extends Owner>(name: T, owner: O) => ({
  name,
  owner,
  /** Last part of the address, `/webhooks/<slug>`. */
  slug: NAMED_PATHS[name] ?? name.replace(/[/._]/g, "-"),
  /** The topic's GraphQL enum value. */
  graphqlTopic: name.replace(/[/.]/g, "_").toUpperCase(),
});

export const WEBHOOK_TOPICS = [
  topic("customers/create", "api"),
  topic("customers/update", "api"),
  topic("customers/delete", "api"),
  topic("customers/merge", "api"),
  topic("customer.tags_added", "api"),
  topic("customer.tags_removed", "api"),
  topic("customers/purchasing_summary", "api"),
  topic("customers_email_marketing_consent/update", "api"),
  topic("customers_marketing_consent/update", "api"),
  topic("orders/create", "api"),
  topic("shop/update", "api"),
  topic("app/uninstalled", "manifest"),
  topic("app/scopes_update", "manifest"),
] as const;

const ownedBy = (owner: Owner) => WEBHOOK_TOPICS.filter((known) => known.owner === owner);

/** Registered for each store through the Admin API. */
export const API_TOPICS = ownedBy("api");
/** Declared in shopify.app.toml. */
export const MANIFEST_TOPICS = ownedBy("manifest");

/**
 * Privacy requests: declared in shopify.app.toml alone, where the platform's review looks for them.
 */
export const COMPLIANCE_TOPICS = [
  { name: "customers/data_request", path: "/gdpr/data-request" },
  { name: "customers/redact", path: "/gdpr/customer-redact" },
  { name: "shop/redact", path: "/gdpr/shop-redact" },
] as const;

export type WebhookTopic = (typeof WEBHOOK_TOPICS)[number]["name"];

export function findTopicBySlug(slug: string | undefined): WebhookTopic | null {
  return WEBHOOK_TOPICS.find((known) => known.slug === slug)?.name ?? null;
}
