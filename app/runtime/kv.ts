// The key-value store of SPEC, in Postgres, with expiry and three atomic verbs: put-if-absent, take, compare-and-set.
// An expired key is invisible at once; the scheduled run deletes it. Time is the database's own.
import type { Database, TenantSql } from "./database.ts";

/**
 * A key that one of the tables below made; no other text is one. Its store stands beside it: a statement is bound to its
 * store (`forTenant`), and the store leads the table's primary key, so two stores never share a key.
 */
export type Key = string & { readonly [made]: true };
declare const made: unique symbol;

type KeyTable<T> = {
  [N in keyof T]: T[N] extends (...parts: infer P) => string ? (...parts: P) => Key : Key;
};
const keys = <const T extends Record<string, string | ((...parts: never[]) => string)>>(
  table: T,
): KeyTable<T> => table as unknown as KeyTable<T>;

/** Every key that belongs to no store: it stands under PLATFORM. */
export const PLATFORM_KEYS = keys({
  config: "platform:config",
  oauthState: (state: string) => `oauth_state:${state}`,
  pkce: (state: string) => `pkce:${state}`,
  /** A sync of this store that was asked for and has not come to its end. */
  syncRequest: (shop: string) => `sync_request:${shop}`,
  /** The code mailed to one browser, and how often that browser guessed. */
  gateCode: (browser: string) => `gate_code:${browser}`,
  gateTries: (browser: string) => `gate_tries:${browser}`,
  scheduledRun: "scheduled_run:report",
});

/** Every key of a store, once. `lease`, `longRun` and `rate` are also used for the platform, under PLATFORM. */
export const KEYS = keys({
  tenant: (shop: string) => `tenant:${shop}`,
  event: (idempotencyKey: string) => `evt:${idempotencyKey}`,
  circuit: (channel: string) => `circuit:${channel}`,
  /** While it lives, somebody was told that this channel has dead letters. */
  deadLetterAlert: (channel: string) => `dead_letter_alert:${channel}`,
  /** While it lives, what comes back of our own write to this customer is no news. */
  echo: (userId: number) => `echo:${userId}`,
  lease: (name: string) => `lease:${name}`,
  /** How far the catch-up of customers has come. */
  customerSync: "sync:customers",
  /** When this step of the tag system was last done. */
  tagStep: (step: string) => `tag_step:${step}`,
  /** Whether the app embed is on in the theme, and who says so. */
  themeEmbed: "theme_embed",
  /** The views of the customer list that the merchant saved. */
  customerViews: "customer_views",
  /** The place in the consent log of the newest signed checkpoint. */
  consentCheckpoint: "consent_checkpoint",
  passwordLink: (tokenHash: string) => `password_link:${tokenHash}`,
  emailLink: (tokenHash: string) => `email_link:${tokenHash}`,
  /** Opens one export of a person's data for the merchant. */
  exportLink: (tokenHash: string) => `export_link:${tokenHash}`,
  sessionCode: (codeHash: string) => `session_code:${codeHash}`,
  consentLink: (tokenHash: string) => `consent_link:${tokenHash}`,
  consentAsked: (askHash: string) => `consent_asked:${askHash}`,
  /** What the document behind an agent's client id says. */
  clientDocument: (urlHash: string) => `client_document:${urlHash}`,
  /** What the profile of an agent's platform says, or why it says nothing. */
  agentProfile: (urlHash: string) => `agent_profile:${urlHash}`,
  /** What an agent gathered before anybody signed in; whoever knows the id has it. */
  agentCart: (id: string) => `agent_cart:${id}`,
  /** A piece of work that an agent asked for over A2A. */
  agentTask: (id: string) => `agent_task:${id}`,
  revokedToken: (tokenHash: string) => `revoked:${tokenHash}`,
  /** How far work stands that outlives the request which began it. */
  longRun: (name: string) => `run:${name}`,
  /** One page of a customer's orders. */
  orders: (userId: number, page: string) => `orders:${userId}:${page}`,
  /** What a request with this Idempotency-Key was answered. */
  idempotent: (requestHash: string) => `idempotent:${requestHash}`,
  rate: (limit: string, subject: string, window: number) => `rate:${limit}:${subject}:${window}`,
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
  clientDocument: 3_600,
  agentProfile: 3_600,
  unreadableAgentProfile: 60,
  agentCart: 604_800,
  agentTask: 3_600,
  unreadableClientDocument: 60,
  deadLetterAlert: 900,
  orders: 300,
  idempotent: 86_400,
  idempotentRun: 60,
  gateCode: 600,
} as const;

const LIVE = "(expires_at IS NULL OR expires_at > clock_timestamp())";
const EXPIRY = "clock_timestamp() + make_interval(secs => $4::float8)";

export type Stored<T> = { value: T; version: number };

export async function getKey<T>(sql: TenantSql, key: Key): Promise<Stored<T> | null> {
  const [row] = await sql<Stored<T>>(
    `SELECT value, version FROM kv WHERE shop = $1 AND key = $2 AND ${LIVE}`,
    [key],
  );
  return row ?? null;
}

export async function putKey(
  sql: TenantSql,
  key: Key,
  value: unknown,
  ttlSeconds: number | null = null,
): Promise<void> {
  await sql(
    `INSERT INTO kv (shop, key, value, expires_at) VALUES ($1, $2, $3::jsonb, ${EXPIRY})
     ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, version = kv.version + 1, updated_at = clock_timestamp()`,
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
     ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, version = kv.version + 1, updated_at = clock_timestamp()
       WHERE kv.expires_at <= clock_timestamp()
     RETURNING key`,
    [key, JSON.stringify(value), ttlSeconds],
  );
  return rows.length === 1;
}

/** Those of the keys that were free, put in one statement; sorted, so that two callers never wait for each other in a circle. */
export async function putKeysIfAbsent(
  sql: TenantSql,
  wanted: readonly Key[],
  value: unknown,
  ttlSeconds: number,
): Promise<Key[]> {
  const rows = await sql<{ key: Key }>(
    `INSERT INTO kv (shop, key, value, expires_at) SELECT $1, key, $3::jsonb, ${EXPIRY} FROM unnest($2::text[]) AS wanted(key) ORDER BY key
     ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, version = kv.version + 1, updated_at = clock_timestamp()
       WHERE kv.expires_at <= clock_timestamp()
     RETURNING key`,
    [[...wanted].sort(), JSON.stringify(value), ttlSeconds],
  );
  return rows.map((row) => row.key);
}

/** Gives a key that still holds what the caller put a new expiry; false when it is somebody else's, or nobody's, by now. */
export async function renewKeyIfHeld(
  sql: TenantSql,
  key: Key,
  value: unknown,
  ttlSeconds: number,
): Promise<boolean> {
  const rows = await sql(
    `UPDATE kv SET expires_at = ${EXPIRY} WHERE shop = $1 AND key = $2 AND value = $3::jsonb AND ${LIVE} RETURNING key`,
    [key, JSON.stringify(value), ttlSeconds],
  );
  return rows.length === 1;
}

/** Reads and deletes in one statement: of two callers one gets it. */
export async function takeKey<T>(sql: TenantSql, key: Key): Promise<T | null> {
  const [row] = await sql<{ value: T; live: boolean }>(
    `DELETE FROM kv WHERE shop = $1 AND key = $2 RETURNING value, ${LIVE} AS live`,
    [key],
  );
  return row?.live ? row.value : null;
}

/** False when somebody changed the key since `version` was read. */
export async function compareAndSetKey(
  sql: TenantSql,
  key: Key,
  version: number,
  value: unknown,
): Promise<boolean> {
  const rows = await sql(
    `UPDATE kv SET value = $3::jsonb, version = version + 1, updated_at = clock_timestamp() WHERE shop = $1 AND key = $2 AND version = $4 AND ${LIVE} RETURNING key`,
    [key, JSON.stringify(value), version],
  );
  return rows.length === 1;
}

const ADD_ONE = `
  ON CONFLICT (shop, key) DO UPDATE SET
    value = CASE WHEN kv.expires_at <= clock_timestamp() THEN '1'::jsonb ELSE to_jsonb((kv.value #>> '{}')::int + 1) END,
    expires_at = CASE WHEN kv.expires_at <= clock_timestamp() THEN excluded.expires_at ELSE kv.expires_at END
  WHERE kv.shop = $1
  RETURNING key, (value #>> '{}')::int AS count`;

// Locks the gates, then the counters, each in the order of their keys, so that two callers never wait in a circle.
const COUNT_BEHIND_GATES = `
  WITH gate AS (
    INSERT INTO kv (shop, key, value, expires_at)
    SELECT $1, key, '1'::jsonb, clock_timestamp() + make_interval(secs => ttl)
    FROM unnest($2::text[], $3::float8[]) AS wanted(key, ttl) ORDER BY key
    ${ADD_ONE}
  ), full_gate AS (
    SELECT 1 FROM gate JOIN unnest($2::text[], $4::int[]) AS wanted(key, most) USING (key) WHERE gate.count > wanted.most
  ), counter AS (
    INSERT INTO kv (shop, key, value, expires_at)
    SELECT $1, key, '1'::jsonb, clock_timestamp() + make_interval(secs => ttl)
    FROM unnest($5::text[], $6::float8[]) AS wanted(key, ttl) WHERE NOT EXISTS (SELECT 1 FROM full_gate) ORDER BY key
    ${ADD_ONE}
  )
  SELECT key, count FROM gate UNION ALL SELECT key, count FROM counter`;

type Counter = { key: Key; ttlSeconds: number };

/**
 * Adds one to each gate and, unless a gate has more than its `max` by then, to each counter; starts those that are new or
 * expired. One statement. @returns the counts of what was counted.
 */
export async function countKeys(
  sql: TenantSql,
  counters: readonly Counter[],
  gates: readonly (Counter & { max: number })[] = [],
): Promise<Map<string, number>> {
  const byKey = (a: Counter, b: Counter) => (a.key < b.key ? -1 : 1);
  const [first, rest] = [gates.toSorted(byKey), counters.toSorted(byKey)];
  const rows = await sql<{ key: string; count: number }>(
    COUNT_BEHIND_GATES,
    [
      first.map(({ key }) => key),
      first.map(({ ttlSeconds }) => ttlSeconds),
      first.map(({ max }) => max),
      rest.map(({ key }) => key),
      rest.map(({ ttlSeconds }) => ttlSeconds),
    ],
    "count_keys",
  );
  return new Map(rows.map(({ key, count }) => [key, count]));
}

export async function deleteKey(sql: TenantSql, key: Key): Promise<void> {
  await sql("DELETE FROM kv WHERE shop = $1 AND key = $2", [key]);
}

/** Deletes a key only while it still holds what the caller put: a lease that ran out may be somebody else's by now. */
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
    `DELETE FROM kv WHERE (shop, key) IN (SELECT shop, key FROM kv WHERE expires_at <= clock_timestamp() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING 1`,
    [limit],
  );
  return rows.length;
}
