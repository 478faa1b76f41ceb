// SPEC's key-value store in Postgres, with expiry and three atomic operations: put-if-absent, take,
// compare-and-set. An expired key is invisible at once; the scheduled run deletes it. The
// database's clock decides.
import type { Read } from "./read-together.ts";
import type { Kv } from "../../generated/prisma/client.ts";
import type { Columns } from "./columns.ts";
import type { Database, TenantSql } from "./database.ts";
import { isNotHeld } from "./cells/held-stores.ts";

/**
 * A key made by one of the tables below; other texts do not compile. Its store is a separate
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
  idempotent: 86_400,
  idempotentRun: 60,
  gateCode: 600,
  retention: 82_800,
} as const;

const LIVE = "(expires_at IS NULL OR expires_at > clock_timestamp())";
const EXPIRY = "clock_timestamp() + make_interval(secs => $4::float8)";

export type Stored<T> = Columns<Kv, "value" | "version"> & { value: T };

export async function findKey<T>(sql: TenantSql, key: Key): Promise<Stored<T> | null> {
  const [row] = await sql<Stored<T>>(
    `SELECT value, version FROM kv WHERE shop = $1 AND key = $2 AND ${LIVE}`,
    [key],
  );
  return row ?? null;
}

export type KeyRow = Columns<Kv, "key" | "value">;

export const keysRead = (keys: readonly Key[]): Read<KeyRow> => ({
  sql: `SELECT key, value FROM kv WHERE shop = $1 AND key = ANY($2::text[]) AND ${LIVE}`,
  values: [keys],
});

export const toValues = (rows: readonly KeyRow[]): Map<Key, unknown> =>
  new Map(rows.map(({ key, value }) => [key as Key, value]));

/** The values of those that exist. */
export async function findKeys(sql: TenantSql, keys: readonly Key[]): Promise<Map<Key, unknown>> {
  const read = keysRead(keys);
  return toValues(await sql<KeyRow>(read.sql, read.values));
}

export async function putKey(
  sql: TenantSql,
  key: Key,
  value: unknown,
  ttlSeconds: number | null = null,
): Promise<void> {
  await sql(
    `INSERT INTO kv (shop, key, value, expires_at) VALUES ($1, $2, $3::jsonb, ${EXPIRY})
     ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at,
       version = kv.version + 1, updated_at = clock_timestamp()`,
    [key, JSON.stringify(value), ttlSeconds],
  );
}

/** True for the one caller that put it; an expired key counts as absent. */
export async function putKeyIfAbsent(
  sql: TenantSql,
  key: Key,
  value: unknown,
  ttlSeconds: number | null = null,
): Promise<boolean> {
  const rows = await sql(
    `INSERT INTO kv (shop, key, value, expires_at) VALUES ($1, $2, $3::jsonb, ${EXPIRY})
     ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at,
       version = kv.version + 1, updated_at = clock_timestamp()
       WHERE kv.expires_at <= clock_timestamp()
     RETURNING key`,
    [key, JSON.stringify(value), ttlSeconds],
  );
  return rows.length === 1;
}

/**
 * Puts the free keys in one statement and returns them; sorted, so that two callers do not
 * deadlock.
 */
export async function putKeysIfAbsent(
  sql: TenantSql,
  wanted: readonly Key[],
  value: unknown,
  ttlSeconds: number,
): Promise<Key[]> {
  const rows = await sql<Columns<Kv, "key"> & { key: Key }>(
    `INSERT INTO kv (shop, key, value, expires_at) SELECT $1, key, $3::jsonb, ${EXPIRY}
      FROM unnest($2::text[]) AS wanted(key) ORDER BY key
     ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at,
       version = kv.version + 1, updated_at = clock_timestamp()
       WHERE kv.expires_at <= clock_timestamp()
     RETURNING key`,
    [[...wanted].sort(), JSON.stringify(value), ttlSeconds],
  );
  return rows.map((row) => row.key);
}

/**
 * Extends the expiry of a key that still holds the caller's value; false when it was replaced or
 * deleted.
 */
export async function renewKeyIfHeld(
  sql: TenantSql,
  key: Key,
  value: unknown,
  ttlSeconds: number,
): Promise<boolean> {
  const rows = await sql(
    `UPDATE kv SET expires_at = ${EXPIRY} WHERE shop = $1 AND key = $2 AND value = $3::jsonb
      AND ${LIVE} RETURNING key`,
    [key, JSON.stringify(value), ttlSeconds],
  );
  return rows.length === 1;
}

/** Reads and deletes in one statement: of two concurrent callers one gets it. */
export async function takeKey<T>(sql: TenantSql, key: Key): Promise<T | null> {
  const [row] = await sql<Columns<Kv, "value"> & { value: T; live: boolean }>(
    `DELETE FROM kv WHERE shop = $1 AND key = $2 RETURNING value, ${LIVE} AS live`,
    [key],
  );
  return row?.live ? row.value : null;
}

/** False when the key changed since `version` was read. */
export async function compareAndSetKey(
  sql: TenantSql,
  key: Key,
  version: number,
  value: unknown,
): Promise<boolean> {
  const rows = await sql(
    `UPDATE kv SET value = $3::jsonb, version = version + 1, updated_at = clock_timestamp()
      WHERE shop = $1 AND key = $2 AND version = $4 AND ${LIVE} RETURNING key`,
    [key, JSON.stringify(value), version],
  );
  return rows.length === 1;
}

// `$7` is the caller's time.
const ADD_ONE = `
  ON CONFLICT (shop, key) DO UPDATE SET
    value = CASE WHEN kv.expires_at <= $7 THEN '1'::jsonb ELSE to_jsonb((kv.value #>> '{}')::int + 1) END,
    expires_at = CASE WHEN kv.expires_at <= $7 THEN excluded.expires_at ELSE kv.expires_at END
  WHERE kv.shop = $1
  RETURNING key, (value #>> '{}')::int AS count, extract(epoch FROM expires_at - $7)::float8 AS ends_in`;

// Locks the gates, then the counters, each in the order of their keys, so that two callers do not
// deadlock.
const COUNT_BEHIND_GATES = `
  WITH gate AS (
    INSERT INTO kv (shop, key, value, expires_at)
    SELECT $1, key, '1'::jsonb, $7::timestamptz + make_interval(secs => ttl)
    FROM unnest($2::text[], $3::float8[]) AS wanted(key, ttl) ORDER BY key
    ${ADD_ONE}
  ), full_gate AS (
    SELECT 1 FROM gate JOIN unnest($2::text[], $4::int[]) AS wanted(key, most) USING (key)
      WHERE gate.count > wanted.most
  ), counter AS (
    INSERT INTO kv (shop, key, value, expires_at)
    SELECT $1, key, '1'::jsonb, $7::timestamptz + make_interval(secs => ttl)
    FROM unnest($5::text[], $6::float8[]) AS wanted(key, ttl) WHERE NOT EXISTS (SELECT 1
      FROM full_gate) ORDER BY key
    ${ADD_ONE}
  )
  SELECT key, count, ends_in FROM gate UNION ALL SELECT key, count, ends_in FROM counter`;

type Counter = { key: Key; ttlSeconds: number };
export type Count = { count: number; endsInSeconds: number };

/**
 * Adds one to each gate and, unless a gate then exceeds its `max`, to each counter. A count begins
 * with its first increment, and ends after its time. One statement. @returns the counts after it.
 */
export async function countKeys(
  sql: TenantSql,
  now: Date,
  counters: readonly Counter[],
  gates: readonly (Counter & { max: number })[] = [],
): Promise<Map<string, Count>> {
  const byKey = (a: Counter, b: Counter) => (a.key < b.key ? -1 : 1);
  const [first, rest] = [gates.toSorted(byKey), counters.toSorted(byKey)];
  const rows = await sql<Columns<Kv, "key"> & { count: number; ends_in: number }>(
    COUNT_BEHIND_GATES,
    [
      first.map(({ key }) => key),
      first.map(({ ttlSeconds }) => ttlSeconds),
      first.map(({ max }) => max),
      rest.map(({ key }) => key),
      rest.map(({ ttlSeconds }) => ttlSeconds),
      now,
    ],
    "count_keys",
  );
  return new Map(
    rows.map(({ key, count, ends_in: endsInSeconds }) => [key, { count, endsInSeconds }]),
  );
}

/** Takes one from each count that still runs. */
export async function uncountKeys(sql: TenantSql, counters: readonly Key[]): Promise<void> {
  await sql(
    `UPDATE kv SET value = to_jsonb(greatest((value #>> '{}')::int - 1, 0))
      WHERE shop = $1 AND key = ANY($2::text[]) AND ${LIVE}`,
    [counters],
  );
}

export async function deleteKey(sql: TenantSql, key: Key): Promise<void> {
  await sql("DELETE FROM kv WHERE shop = $1 AND key = $2", [key]);
}

/**
 * Deletes a key only while it holds the caller's value: an expired lease may belong to another
 * holder.
 */
export async function deleteKeyIfHeld(sql: TenantSql, key: string, value: unknown): Promise<void> {
  await sql("DELETE FROM kv WHERE shop = $1 AND key = $2 AND value = $3::jsonb", [
    key,
    JSON.stringify(value),
  ]);
}

export async function deleteKeysIfHeld(
  sql: TenantSql,
  wanted: readonly Key[],
  value: unknown,
): Promise<void> {
  await sql("DELETE FROM kv WHERE shop = $1 AND key = ANY($2::text[]) AND value = $3::jsonb", [
    wanted,
    JSON.stringify(value),
  ]);
}

/** Deletes at most `limit` expired keys of all tenants; safe to repeat and to run twice at once. */
export async function deleteExpiredKeys(database: Database, limit = 5_000): Promise<number> {
  const rows = await database.acrossTenants(
    `DELETE FROM kv WHERE (shop, key) IN (SELECT shop, key FROM kv
      WHERE expires_at <= clock_timestamp() AND ${isNotHeld("shop")} ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING 1`,
    [limit],
  );
  return rows.length;
}
