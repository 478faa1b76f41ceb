// The groups of the API reference. A path belongs to the first group whose prefix it starts with.
type ApiTag = { name: string; description: string; prefixes: readonly string[] };

export const API_TAGS: readonly ApiTag[] = [
  {
    name: "Identity",
    description: "Sign-up, sign-in, sessions and profiles of shoppers.",
    prefixes: [
      "/auth/signup",
      "/auth/login",
      "/auth/logout",
      "/auth/me",
      "/auth/profile",
      "/auth/password",
      "/auth/session",
      "/auth/verify-email",
      "/auth/federated",
      "/auth/storefront",
      "/customer-account",
    ],
  },
  {
    name: "Consent",
    description: "Decisions of shoppers, their history, receipts and the proof of the log.",
    prefixes: ["/auth/consent", "/ucp/consent", "/admin/consent"],
  },
  {
    name: "Tags and segments",
    description: "The catalog of tags, a shopper's own tags and experiments.",
    prefixes: ["/tags", "/ucp/tags", "/segment", "/admin/tags", "/admin/init-tag-system"],
  },
  {
    name: "Commerce",
    description: "Products, orders, returns, checkouts and payment mandates.",
    prefixes: ["/commerce"],
  },
  {
    name: "Agents",
    description: "Discovery, authorization and the protocols of AI agents.",
    prefixes: ["/.well-known", "/admin/agent-activity", "/oauth", "/mcp", "/a2a"],
  },
  {
    name: "Events",
    description: "The event bus: ingest, delivery, log, replay, destinations and registries.",
    prefixes: [
      "/events",
      "/integration-enqueue",
      "/sync",
      "/admin/events",
      "/admin/destinations",
      "/admin/mappings",
      "/admin/firmware",
      "/admin/upc-mappings",
    ],
  },
  {
    name: "Extensions",
    description: "What the app's extensions in the store admin call.",
    prefixes: ["/extensions"],
  },
  {
    name: "Webhooks",
    description: "What the storefront calls.",
    prefixes: [
      "/webhooks",
      "/flow",
      "/gdpr/customer-redact",
      "/gdpr/data-request",
      "/gdpr/shop-redact",
    ],
  },
  {
    name: "Privacy",
    description: "Requests of shoppers and regulators, exports and the access log.",
    prefixes: ["/gdpr", "/privacy", "/admin/privacy", "/admin/access-log"],
  },
  {
    name: "Embeds",
    description: "Pages and scripts for the storefront's theme.",
    prefixes: ["/embed"],
  },
  {
    name: "Installation and settings",
    description: "Installing the app, a store's configuration and its connection.",
    prefixes: ["/auth/install", "/auth/callback", "/config", "/platform", "/admin"],
  },
  {
    name: "Operation",
    description: "Health, metrics and this document.",
    prefixes: ["/health", "/metrics", "/openapi.json"],
  },
];

/** Throws for a path without a group: a new route needs one. */
export function tagOf(path: string): string {
  const tag = API_TAGS.find(({ prefixes }) => prefixes.some((prefix) => path.startsWith(prefix)));
  if (!tag) throw new Error(`${path} belongs to no group of the API reference (api-tags.ts)`);
  return tag.name;
}
