// The storefront webhooks we listen to, once: what is registered at install, what shopify.app.toml declares, which paths
// exist and which handler runs derive from this list (SPEC "Inbound events", DECISIONS 9).

/** The contract names two paths itself; the others are the topic with `/`, `.` and `_` as `-`. */
const NAMED_PATHS: Record<string, string> = {
  "customers/create": "customer-create",
  "customers/update": "customer-update",
};

const topic = <T extends string>(name: T) => ({
  name,
  /** Last part of the address, `/webhooks/<slug>`. */
  slug: NAMED_PATHS[name] ?? name.replace(/[/._]/g, "-"),
  /** As the GraphQL enum writes it. */
  graphqlTopic: name.replace(/[/.]/g, "_").toUpperCase(),
});

export const WEBHOOK_TOPICS = [
  topic("customers/create"),
  topic("customers/update"),
  topic("customers/delete"),
  topic("customers/merge"),
  topic("customer.tags_added"),
  topic("customer.tags_removed"),
  topic("customers/purchasing_summary"),
  topic("customers_email_marketing_consent/update"),
  topic("customers_marketing_consent/update"),
  topic("orders/create"),
  topic("app/uninstalled"),
  topic("app/scopes_update"),
] as const;

/** Privacy requests: declared in shopify.app.toml alone, where the platform's review looks for them. */
export const COMPLIANCE_TOPICS = [
  { name: "customers/data_request", path: "/gdpr/data-request" },
  { name: "customers/redact", path: "/gdpr/customer-redact" },
  { name: "shop/redact", path: "/gdpr/shop-redact" },
] as const;

export type WebhookTopic = (typeof WEBHOOK_TOPICS)[number]["name"];

export function findTopicBySlug(slug: string | undefined): WebhookTopic | null {
  return WEBHOOK_TOPICS.find((known) => known.slug === slug)?.name ?? null;
}
