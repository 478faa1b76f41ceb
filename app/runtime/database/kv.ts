// SPEC's key-value store in Postgres, with expiry and three atomic operations: put-if-absent, take,
// compare-and-set. An expired key is invisible at once; the scheduled run deletes it. The
// database's clock decides.
import type { Read } from "./read-together.ts";
import type { Kv } from "../../generated/prisma/client.ts";
import type { Columns } from "./columns.ts";
import type { Database, TenantSql } from "./database.ts";
import { isNotHeld } from "./cells/held-stores.ts";
import type { Key } from "./kv-keys.ts";
import { NOW_ONCE } from "./queue/now-once.ts";

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

/** The values of the keys that exist. */
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

// `$7` is the caller's time. A count that ends ten minutes later than a new one would was begun before the
// clock was set back: going on with it until its end could keep a caller out for days.
const IS_OVER = `(kv.expires_at <= $7
      OR kv.expires_at > excluded.expires_at + interval '10 minutes')`;
const ADD_TO_COUNT = `
  ON CONFLICT (shop, key) DO UPDATE SET
    value = CASE WHEN ${IS_OVER} THEN excluded.value
      ELSE to_jsonb((kv.value #>> '{}')::int + (excluded.value #>> '{}')::int) END,
    expires_at = CASE WHEN ${IS_OVER} THEN excluded.expires_at ELSE kv.expires_at END
  WHERE kv.shop = $1
  RETURNING key, (value #>> '{}')::int AS count, extract(epoch FROM expires_at - $7)::float8 AS ends_in`;

// Locks the gates, then the counters, each in the order of their keys, so that two callers do not
// deadlock.
const COUNT_BEHIND_GATES = `
  WITH gate AS (
    INSERT INTO kv (shop, key, value, expires_at)
    SELECT $1, key, to_jsonb($8::int), $7::timestamptz + make_interval(secs => ttl)
    FROM unnest($2::text[], $3::float8[]) AS wanted(key, ttl) ORDER BY key
    ${ADD_TO_COUNT}
  ), full_gate AS (
    SELECT 1 FROM gate JOIN unnest($2::text[], $4::int[]) AS wanted(key, most) USING (key)
      WHERE gate.count > wanted.most
  ), counter AS (
    INSERT INTO kv (shop, key, value, expires_at)
    SELECT $1, key, to_jsonb($8::int), $7::timestamptz + make_interval(secs => ttl)
    FROM unnest($5::text[], $6::float8[]) AS wanted(key, ttl) WHERE NOT EXISTS (SELECT 1
      FROM full_gate) ORDER BY key
    ${ADD_TO_COUNT}
  )
  SELECT key, count, ends_in FROM gate UNION ALL SELECT key, count, ends_in FROM counter`;

type Counter = { key: Key; ttlSeconds: number };
type KeysToCount = {
  counters: readonly Counter[];
  gates?: readonly (Counter & { max: number })[] | undefined;
  amount?: number | undefined;
};
export type Count = { count: number; endsInSeconds: number };

/**
 * Adds `amount` to each gate and, unless a gate then exceeds its `max`, to each counter. A count begins
 * with its first increment, and ends after its time. One statement. @returns the counts after it.
 */
export async function countKeys(
  sql: TenantSql,
  now: Date,
  { counters, gates = [], amount = 1 }: KeysToCount,
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
      amount,
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
      WHERE expires_at <= ${NOW_ONCE} AND ${isNotHeld("shop")} ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING 1`,
    [limit],
  );
  return rows.length;
}
