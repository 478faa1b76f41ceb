// Every key of the key-value store (kv.ts), and how long those live that end.

/**
 * A key made by one of the tables below: any other text does not compile. Its store is a separate
 * column: a statement is bound to its store (`forTenant`), and the store leads the table's primary
 * key, so two stores never share a key.
 */
export type Key = string & { readonly [made]: true };
declare const made: unique symbol;

type KeyTable<T> = {
  [N in keyof T]: T[N] extends (...parts: infer P) => string ? (...parts: P) => Key : Key;
};
const keys = <const T extends Record<string, string | ((...parts: never[]) => string)>>(
  table: T,
): KeyTable<T> => table as unknown as KeyTable<T>;

/** Every key without a store; their shop is PLATFORM. */
export const PLATFORM_KEYS = keys({
  config: "platform:config",
  oauthState: (state: string) => `oauth_state:${state}`,
  pkce: (state: string) => `pkce:${state}`,
  /** A requested sync of this store that has not ended. */
  syncRequest: (shop: string) => `sync_request:${shop}`,
  /** The webhooks of this store are to be registered. */
  registrationRequest: (shop: string) => `registration_request:${shop}`,
  /** The loader's values of this store are to be written into its metafield. */
  loaderRequest: (shop: string) => `loader_request:${shop}`,
  /** The web pixel of this store is to be registered. */
  pixelRequest: (shop: string) => `pixel_request:${shop}`,
  /** The code mailed to one browser, and the browser's number of attempts. */
  gateCode: (browser: string) => `gate_code:${browser}`,
  gateAttempts: (browser: string) => `gate_tries:${browser}`,
  scheduledRun: "scheduled_run:report",
  /** The report of processes that serve some cells only. */
  scheduledRunOf: (cells: string) => `scheduled_run:report:${cells}`,
});

/** The platform's keys that name this store. */
export const platformKeysOf = (shop: string): Key[] =>
  (["syncRequest", "registrationRequest", "loaderRequest", "pixelRequest"] as const).map((name) =>
    PLATFORM_KEYS[name](shop),
  );

/**
 * Every key of a store. `lease`, `backgroundJob` and `rate` are also used for the platform, under
 * PLATFORM.
 */
export const KEYS = keys({
  tenant: (shop: string) => `tenant:${shop}`,
  event: (idempotencyKey: string) => `evt:${idempotencyKey}`,
  circuit: (channel: string) => `circuit:${channel}`,
  /** The merchant's last test of the connection to this system. */
  connectionTest: (system: string) => `connection_test:${system}`,
  /** While it exists, no further alert about this channel's dead letters is sent. */
  deadLetterAlert: (channel: string) => `dead_letter_alert:${channel}`,
  /** Up to which deadline the store was mailed about its unfinished privacy requests. */
  dueRequestsMailed: "due_requests_mailed",
  /** While it exists, echoes of our own write to this customer are ignored. */
  echo: (userId: number) => `echo:${userId}`,
  lease: (name: string) => `lease:${name}`,
  /** Held while a channel writes or deletes this customer in its system. */
  customerLease: (channel: string, userId: number) => `lease:${channel}_customer:${userId}`,
  /** The progress of the customers' catch-up. */
  customerSync: "sync:customers",
  /** The thresholds of the last run of the tag rules. */
  tagRules: "tag_rules",
  /** When this step of the tag system last succeeded. */
  tagStep: (step: string) => `tag_step:${step}`,
  /** Whether the app embed is enabled in the theme, and the source of that information. */
  themeEmbed: "theme_embed",
  /** When the store's staff last saw the block on a customer's page of the admin. */
  adminBlock: "admin_block",
  /** Whether the store's front page lets itself be framed, as it answered last. */
  frontPage: "front_page",
  /** What the last check of the storefront found. */
  storefrontCheck: "storefront_check",
  /** Whether the merchant wants the check to repeat itself; absent: no choice yet. */
  storefrontSwitch: "storefront_switch",
  /** When the check repeated itself last and will again, and what it has found so far. */
  storefrontWeekly: "storefront_weekly",
  /** Set when the merchant dismissed the setup guide. */
  guideDismissed: "setup_guide_dismissed",
  /** Up to where the counts of customers per day are folded. */
  customerDays: "customer_days",
  /** An account whose archived messages wait to be deleted. */
  deletedAccount: (userId: string) => `deleted_account:${userId}`,
  /** SHA-256 of each setting as the demo store's last start saved it. */
  demoSettings: "demo_settings",
  /** How far the demo store's history is written. */
  demoHistory: "demo_history",
  /** The store's retention that was applied last; while it exists, there is nothing to delete. */
  retention: (kind: string) => `retention:${kind}`,
  /** The position in the consent log of the newest signed checkpoint. */
  consentCheckpoint: "consent_checkpoint",
  passwordLink: (tokenHash: string) => `password_link:${tokenHash}`,
  emailLink: (tokenHash: string) => `email_link:${tokenHash}`,
  /** Opens one export of a person's data for the merchant. */
  exportLink: (tokenHash: string) => `export_link:${tokenHash}`,
  /** Opens a customer's own export once, for themselves. */
  ownExportLink: (tokenHash: string) => `own_export_link:${tokenHash}`,
  /** When a customer last opened the extension in the store's customer accounts. */
  accountExtension: "account_extension",
  sessionCode: (codeHash: string) => `session_code:${codeHash}`,
  consentLink: (tokenHash: string) => `consent_link:${tokenHash}`,
  /** While it exists, this address is asked no second time to verify itself after a change at the store. */
  changedAddressMailed: (mailbox: string) => `changed_address_mailed:${mailbox}`,
  consentAsked: (askHash: string) => `consent_asked:${askHash}`,
  /** The document at an agent's client id. */
  clientDocument: (urlHash: string) => `client_document:${urlHash}`,
  /** The profile of an agent's platform, or the error of its fetch. */
  agentProfile: (urlHash: string) => `agent_profile:${urlHash}`,
  /** An agent's cart from before the sign-in; the id is its only protection. */
  agentCart: (id: string) => `agent_cart:${id}`,
  /** A task that an agent created over A2A. */
  agentTask: (id: string) => `agent_task:${id}`,
  revokedToken: (tokenHash: string) => `revoked:${tokenHash}`,
  /** The progress of a background job. */
  backgroundJob: (name: string) => `run:${name}`,
  /** While the store moves to another cell: passes through the copy, to show how far it is. */
  moveMark: "store_move_mark",
  /** How many triggers of this event Shopify Flow has. */
  flowProgress: (eventId: string) => `flow_progress:${eventId}`,
  /** The answer to this run of a Flow action. */
  flowRun: (runHash: string) => `flow_run:${runHash}`,
  /** While it exists, Flow asks this customer for no consent of this type again. */
  flowConsentAsked: (userId: number, type: string) => `flow_consent_asked:${userId}:${type}`,
  /** One page of a customer's orders. */
  orders: (userId: number, page: string) => `orders:${userId}:${page}`,
  /** The bulk run that this confirmation of a merchant started. */
  confirmedRun: (requestId: string) => `confirmed_run:${requestId}`,
  /** The stored response of a request with this Idempotency-Key. */
  idempotent: (requestHash: string) => `idempotent:${requestHash}`,
  rate: (limit: string, subject: string) => `rate:${limit}:${subject}`,
});

export const TTL_SECONDS = {
  oauthState: 600,
  pkce: 300,
  event: 604_800,
  welcomeLink: 86_400,
  passwordResetLink: 3_600,
  emailLink: 86_400,
  changedAddressMailed: 3_600,
  sessionCode: 60,
  echo: 60,
  consentLink: 86_400,
  exportLink: 604_800,
  ownExportLink: 300,
  clientDocument: 3_600,
  agentProfile: 3_600,
  frontPage: 600,
  unreachableFrontPage: 60,
  unreadableAgentProfile: 60,
  agentCart: 604_800,
  agentTask: 3_600,
  unreadableClientDocument: 60,
  deadLetterAlert: 900,
  orders: 300,
  flowProgress: 604_800,
  flowRun: 2_592_000,
  flowConsentAsked: 2_592_000,
  confirmedRun: 86_400,
  idempotent: 86_400,
  idempotentRun: 60,
  gateCode: 600,
  retention: 82_800,
} as const;
