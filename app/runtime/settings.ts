// Every environment setting, once: its name, its aliases, its parser, its purpose. The documentation's
// configuration table, the list of missing settings at start and the config derive from this table
// (DECISIONS 2).
import { z } from "zod";
import {
  areNameServers,
  databaseAddress,
  headerSecret,
  isAllowedOutside,
  isArchiveAddress,
  list,
  outsideAddress,
  replicaAddress,
  secret,
  wholeNumber,
} from "./setting-schemas.ts";

/** The region of DATABASE_URL, which has every tenant's record. */
export const HOME_REGION = "default";

/** The name of a cell's own setting: `DATABASE_URL` of the cell `eu` is DATABASE_URL_EU. */
export const settingOf = (name: string, cell: string): string =>
  cell === HOME_REGION ? name : `${name}_${cell.toUpperCase().replaceAll("-", "_")}`;

const ROLES = ["web", "worker", "scheduler"] as const;
export type Role = (typeof ROLES)[number];

type Setting = {
  schema: z.ZodType;
  /** The purpose, as shown in docs/configuration.md. */
  about: string;
  default?: string;
  aliases?: readonly string[];
  /** Never printed, not even in part. */
  secret?: true;
  /** Required outside the sandbox. */
  required?: true;
  /** Belongs to an outside system: when it is set, this is not a sandbox. */
  outside?: true;
};

const setting = <S extends z.ZodType, const R extends Omit<Setting, "schema" | "about"> = object>(
  schema: S,
  about: string,
  rest?: R,
): { schema: S; about: string } & R => ({
  schema,
  about,
  ...(rest as R),
});

export const SETTINGS = {
  PORT: setting(wholeNumber(0, 65535), "Port to listen on; 0 picks a free one.", {
    default: "3000",
  }),
  HOST: setting(
    z.string(),
    "Address to listen on. `shopify app dev` puts the tunnel's URL here, which then counts as `BASE_URL`.",
    { default: "127.0.0.1" },
  ),
  BASE_URL: setting(outsideAddress, "Public address of this service.", {
    aliases: ["SHOPIFY_APP_URL", "APP_URL"],
    required: true,
  }),
  ROLES: setting(
    list.pipe(z.array(z.enum(ROLES, `must be some of ${ROLES.join(", ")}`)).min(1)),
    "What this process does.",
    { default: ROLES.join(",") },
  ),
  SANDBOX: setting(
    z.enum(["on", "off", "auto"], "must be on, off or auto"),
    "Simulated outside systems. `auto` runs them when no credential, `BASE_URL`, `DATABASE_URL` or `HOST` that others reach is set; `on` beside a `DATABASE_URL` is allowed while no credential is set.",
    { default: "auto" },
  ),
  DEMO: setting(
    z.enum(["on", "off"], "must be on or off"),
    "In the sandbox: fills the demo store with 400 customers and 90 days of history, once. `npm run demo:reset` starts over.",
    { default: "on" },
  ),
  SANDBOX_TRAFFIC: setting(
    z.enum(["on", "off"], "must be on or off"),
    "In the sandbox, unless `DEMO=off`: a small change in the demo store every 20 seconds.",
    { default: "on" },
  ),
  SANDBOX_PORT: setting(
    wholeNumber(0, 65535),
    "Port of the sandbox; 0 picks a free one. Unset: 4010, or a free one where `PORT` is 0.",
  ),
  STOP_GRACE_SECONDS: setting(
    wholeNumber(0, 300),
    "After `SIGTERM`: how long requests are still served while `/health/ready` is 503 already, so that a load balancer sees it before connections are refused. Not in the sandbox and in development, and not without the role `web`. Then 30 seconds for what is in flight.",
    { default: "5" },
  ),
  LOG_LEVEL: setting(
    z.enum(["fatal", "error", "warn", "info", "debug", "silent"]),
    "How much is logged.",
    { default: "info" },
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    z.string().regex(/^https?:\/\//, "must be an http:// or https:// address"),
    "OpenTelemetry collector that gets the traces; unset: none are collected. The SDK's other `OTEL_*` variables apply too.",
  ),
  OTEL_SERVICE_NAME: setting(z.string(), "The service's name in the traces.", {
    default: "customer-identity-service",
  }),
  DATA_DIR: setting(z.string(), "Folder of the embedded database and the local secrets.", {
    default: ".data",
  }),
  DATABASE_URL: setting(
    databaseAddress,
    "PostgreSQL 15 or newer, the home database; unset: embedded. Several servers: `postgresql://h1,h2/db?target_session_attrs=read-write`. May lead to PgBouncer (1.21 or newer) in transaction mode. `DATABASE_URL_<CELL>` names the database of another cell.",
    { secret: true },
  ),
  DIRECT_DATABASE_URL: setting(
    databaseAddress,
    "The same database as the role that owns its schema, past any pooler: used for migrations, and behind a pooler for notifications (without it workers poll); unset: `DATABASE_URL`. The role of `DATABASE_URL` is then given the rights that the service needs and no others. `DIRECT_DATABASE_URL_<CELL>` for another cell.",
    { secret: true },
  ),
  DATABASE_REPLICA_URL: setting(
    replicaAddress,
    "A standby of `DATABASE_URL` by streaming replication, with the same role: serves lists, exports and charts of the merchant's screens while it is up to date; unset: the primary serves them. `DATABASE_REPLICA_URL_<CELL>` for another cell.",
    { secret: true },
  ),
  CELLS: setting(
    list.pipe(z.array(z.string().regex(/^[a-z0-9-]{1,40}$/, "must be names of cells")).min(1)),
    "The cells that this process serves, comma-separated: `default` is that of `DATABASE_URL`, `eu` that of `DATABASE_URL_EU`. Unset: every cell it has an address of. It opens no connections to others, beside home.",
  ),
  DATABASE_POOL: setting(wholeNumber(2, 200), "Connections to each database.", { default: "16" }),
  PLATFORM_CLIENT_ID: setting(z.string(), "Client id of the app.", {
    aliases: ["SHOPIFY_API_KEY"],
    required: true,
    outside: true,
  }),
  PLATFORM_APP_SECRET: setting(
    list.pipe(z.array(secret).min(1).max(2, "holds at most two secrets")),
    "Secret of the app; two, comma-separated, during a rotation (the first signs, both verify).",
    { aliases: ["SHOPIFY_API_SECRET"], secret: true, required: true, outside: true },
  ),
  SCOPES: setting(list, "Access scopes asked for at install.", {
    default:
      "read_customers,write_customers,customer_read_customers,customer_write_customers,read_products,read_orders,read_customer_merge,write_draft_orders,write_app_proxy,write_files",
  }),
  JWT_SECRET: setting(secret, "Signs the session tokens of shoppers.", {
    secret: true,
    required: true,
  }),
  ADMIN_KEY: setting(headerSecret, "The operator's key to the admin endpoints.", {
    secret: true,
    required: true,
  }),
  SECRETS_KEY: setting(
    z
      .string()
      .refine((text) => Buffer.from(text, "base64").length === 32, "must be 32 bytes in base64")
      .transform((text) => Buffer.from(text, "base64")),
    "Seals secrets at rest: 32 bytes in base64. With the embedded database one is made in the data folder.",
    { secret: true, required: true },
  ),
  WORKER_WEBHOOK_SECRET: setting(
    headerSecret,
    "Shared with the backend that calls /events/deliver.",
    {
      secret: true,
      required: true,
    },
  ),
  BACKEND_BASE_URL: setting(
    outsideAddress,
    "A remote backend, with `BACKEND_API_KEY`; unset: the built-in one.",
  ),
  BACKEND_WORKSPACE_ID: setting(z.string(), "Workspace of the remote backend."),
  BACKEND_API_KEY: setting(
    headerSecret,
    "Key to the remote backend, and of those who call /integration-enqueue.",
    { secret: true, outside: true },
  ),
  STOREFRONT_URL_TEMPLATE: setting(
    outsideAddress.refine((text) => text.includes("{shop}"), "must contain {shop}"),
    "Address of a store.",
    { default: "https://{shop}" },
  ),
  STOREFRONT_STORE_DOMAIN: setting(
    z.string().regex(/^[a-z0-9][a-z0-9-]*\.myshopify\.com$/, "must look like name.myshopify.com"),
    "The store that `STOREFRONT_*`, `ANALYTICS_*` and `AUTH_REDIRECT_ORIGIN` belong to, and the tenant when a request names none.",
  ),
  STOREFRONT_ADMIN_TOKEN: setting(z.string(), "Admin token of that store.", {
    secret: true,
    outside: true,
  }),
  STOREFRONT_CUSTOMER_ACCOUNT_CLIENT_ID: setting(
    z.string(),
    "Customer-account client of that store, instead of the app itself.",
  ),
  STOREFRONT_SHOP_ID: setting(z.string(), "Numeric shop id of that store."),
  AUTH_REDIRECT_ORIGIN: setting(outsideAddress, "Where sign-ins return to."),
  FEDERATED_ISSUER: setting(
    outsideAddress,
    "The OIDC provider of federated sign-in, for every store without one of its own.",
    {
      default: "https://accounts.google.com",
    },
  ),
  FEDERATED_CLIENT_ID: setting(
    z.string(),
    "Client id at that provider, for every store without a provider or client of its own; with its secret.",
  ),
  FEDERATED_CLIENT_SECRET: setting(z.string(), "Client secret at that provider.", {
    secret: true,
    outside: true,
  }),
  CMS_API_URL: setting(outsideAddress, "CMS API.", { default: "https://api.webflow.com/v2" }),
  ANALYTICS_API_URL: setting(outsideAddress, "Web analytics.", {
    default: "https://www.google-analytics.com",
  }),
  ANALYTICS_MEASUREMENT_ID: setting(
    z.string().regex(/^G-[A-Z0-9]+$/, "must look like G-ABC123"),
    "Web analytics stream of that store.",
  ),
  ANALYTICS_API_SECRET: setting(z.string(), "Web analytics secret of that store.", {
    secret: true,
    outside: true,
  }),
  EMAIL_API_URL: setting(outsideAddress, "Email provider.", { default: "https://api.resend.com" }),
  EMAIL_API_KEY: setting(z.string(), "Key to the email provider.", {
    secret: true,
    outside: true,
  }),
  ERP_TOKEN: setting(
    headerSecret,
    "Inbound ERP token of stores with the access role `creator` that have none of their own.",
    { secret: true, outside: true },
  ),
  EMAIL_FROM: setting(
    z.string().regex(/^[^<>\r\n]+ <[^@<>\s]+@[^@<>\s]+>$/, "must look like Display Name <address>"),
    "Sender of emails, on a verified domain. Stores that use this key send from this address under their own name.",
  ),
  SUPPORT_EMAIL: setting(
    z.email("must be an email address"),
    "Contact address of the service on its privacy page; unset: the address of `EMAIL_FROM`.",
  ),
  ARCHIVE_URL: setting(
    z
      .string()
      .regex(/^(file:.|s3:\/\/)/, "must be file:path or s3://bucket/prefix")
      .refine(
        isArchiveAddress,
        "must name a bucket, s3://bucket/prefix, and an endpoint must be an https:// address (http:// only for a loopback host or a host name without a dot)",
      ),
    "Object archive: `s3://bucket/prefix?region=...&endpoint=...`, with the credentials that the AWS SDK finds (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`), or a folder, `file:path`. A relative path begins at the project's folder.",
    { default: "file:.data/archive" },
  ),
  OUTBOUND_ALLOW: setting(
    list.refine(
      (entries) => entries.every(isAllowedOutside),
      "must be host, host:port, file or file:/folder, separated by commas",
    ),
    "Private `host` or `host:port` addresses that tenants may configure, comma-separated; `file` or `file:/folder` opens folders of this machine for file drops.",
  ),
  DNS_SERVERS: setting(
    list.refine(
      areNameServers,
      "must be IP addresses, each alone or with a port, separated by commas",
    ),
    "Name servers (`address` or `address:port`, comma-separated) that are asked for the records that prove a store's hosts, and for the hosts that stores and agents name; unset: the system's.",
  ),
  ADMIN_EMAILS: setting(
    list.pipe(z.array(z.email("must be email addresses, separated by commas"))),
    "Who may open the standalone admin pages by a mailed code.",
  ),
  EDGE_GATE_JWKS_URL: setting(
    outsideAddress,
    "Keys of the edge gate in front of the standalone admin pages; with `EDGE_GATE_AUDIENCE`.",
  ),
  EDGE_GATE_AUDIENCE: setting(z.string(), "Audience of the edge gate's tokens."),
  EDGE_GATE_ISSUER: setting(
    z.string(),
    "Issuer of the edge gate's tokens; unset: any token that those keys signed for that audience.",
  ),
  WORKER_POLL_MS: setting(
    wholeNumber(20, 60_000),
    "Milliseconds between two looks of a worker for due retries and for the rows of workers that died. New work is announced by a notification.",
    { default: "1000" },
  ),
  RATE_LIMIT_SCALE: setting(
    z
      .string()
      .regex(/^\d+(\.\d+)?$/, "must be a number")
      .transform(Number),
    "Multiplies every rate limit; 0 turns them off.",
    { default: "1" },
  ),
  TRUST_PROXY_HOPS: setting(
    wholeNumber(0, 10),
    "How many proxies in front may be believed about the client's address.",
    { default: "0" },
  ),
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

/** Settings that do nothing, or half, without others. */
export const NEEDED_BESIDE: Partial<Record<SettingName, readonly SettingName[]>> = {
  BACKEND_BASE_URL: ["BACKEND_API_KEY"],
  EDGE_GATE_JWKS_URL: ["EDGE_GATE_AUDIENCE"],
  EDGE_GATE_AUDIENCE: ["EDGE_GATE_JWKS_URL"],
  EDGE_GATE_ISSUER: ["EDGE_GATE_JWKS_URL", "EDGE_GATE_AUDIENCE"],
};

type Defaulted = {
  [K in SettingName]: (typeof SETTINGS)[K] extends { default: string } | { required: true }
    ? K
    : never;
}[SettingName];

/** The parsed settings: defaulted and required ones are present, the others may be absent. */
export type Settings = {
  [K in Defaulted]: z.output<(typeof SETTINGS)[K]["schema"]>;
} & {
  [K in Exclude<SettingName, Defaulted>]?: z.output<(typeof SETTINGS)[K]["schema"]> | undefined;
};
