// A lease in the key-value store: one holder across all processes, renewed while it works, expired
// after it dies.
import { randomUUID } from "node:crypto";
import type { Kv } from "../../../generated/prisma/client.ts";
import { anyLength } from "../array-parameters.ts";
import type { Columns } from "../columns.ts";
import type { TenantSql } from "../database.ts";
import { deleteKeyIfHeld, renewKeyIfHeld } from "../kv.ts";
import { KEYS, type Key } from "../kv-keys.ts";
import { NO_WAIT_FOR_DISK } from "../no-wait-for-disk.ts";

/** How long a dead holder blocks others. */
const LEASE_SECONDS = 15;
const RENEW_MS = (LEASE_SECONDS * 1_000) / 3;

export class LeaseLost extends Error {
  constructor(name: string) {
    super(`the lease ${name} was lost to another process`);
    this.name = "LeaseLost";
  }
}

export type Lease = {
  /** The lease's value in the key-value store while this call has it. */
  holder: string;
  /** Aborted when the lease is known to be lost: another process may be at the same work. */
  signal: AbortSignal;
  /**
   * Holds the lease until the end of the caller's transaction, or throws LeaseLost: then the
   * transaction must not commit.
   */
  fence(sql: TenantSql): Promise<void>;
};

/** Null at once when another holder has the lease. */
export async function withLease<T>(
  sql: TenantSql,
  name: string,
  work: (lease: Lease) => Promise<T>,
): Promise<{ result: T } | null> {
  const key = KEYS.lease(name);
  const holder = randomUUID();
  if (!(await putLeaseIfFree(sql, key, holder, LEASE_SECONDS))) return null;
  const lost = new AbortController();
  const lose = () => lost.abort(new LeaseLost(name));
  let renewedAt = performance.now();
  const renew = async () => {
    // The process was suspended for longer than the lease.
    if (performance.now() - renewedAt > LEASE_SECONDS * 1_000) return lose();
    const askedAt = performance.now();
    if (!(await renewKeyIfHeld(sql, key, holder, LEASE_SECONDS))) return lose();
    renewedAt = askedAt;
  };
  const renewing = setInterval(() => {
    // A failed renewal has no effect yet: the next one, or the fence, decides.
    renew().catch(() => {});
  }, RENEW_MS);
  try {
    const lease: Lease = {
      holder,
      signal: lost.signal,
      async fence(inside) {
        if (await renewKeyIfHeld(inside, key, holder, LEASE_SECONDS)) return;
        lose();
        throw new LeaseLost(name);
      },
    };
    return { result: await work(lease) };
  } finally {
    clearInterval(renewing);
    await deleteKeyIfHeld(sql, key, holder);
  }
}

/** A key and the holder in it. */
export type LeaseKey = { key: Key; holder: string };

/**
 * A lease that ends ten minutes later than a new one would was taken before the clock was set back: its
 * holder is gone, and waiting for its end could take days. In the order of the keys, so that two callers
 * do not deadlock.
 */
const putLeases = (condition: string) => `
  INSERT INTO kv (shop, key, value, expires_at) SELECT $1, key, to_jsonb(holder), clock_timestamp() + make_interval(secs => $4::float8)
    FROM unnest(${anyLength(2, "text")}, ${anyLength(3, "text")}) AS wanted(key, holder) WHERE ${condition} ORDER BY key
  ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at,
    version = kv.version + 1, updated_at = clock_timestamp()
    WHERE kv.expires_at <= clock_timestamp()
      OR kv.expires_at > clock_timestamp() + make_interval(secs => 600 + $4::float8)
  RETURNING key`;
const PUT_LEASE = putLeases("true");
const PUT_LEASES = putLeases(NO_WAIT_FOR_DISK);

/**
 * Puts the free leases in one statement and returns their keys, of which each may be named once. Outside
 * of a transaction: the commit does not wait for the disk, so that a crash of the database may end a
 * lease early.
 */
export async function putLeasesIfFree(
  sql: TenantSql,
  leases: readonly LeaseKey[],
  ttlSeconds: number,
): Promise<Set<string>> {
  const rows = await sql<Columns<Kv, "key">>(
    PUT_LEASES,
    [leases.map(({ key }) => key), leases.map(({ holder }) => holder), ttlSeconds],
    "put_leases",
  );
  return new Set(rows.map(({ key }) => key));
}

/** Puts one lease if it is free, and waits until it is on the disk. */
export async function putLeaseIfFree(
  sql: TenantSql,
  key: Key,
  holder: string,
  ttlSeconds: number,
): Promise<boolean> {
  const rows = await sql<Columns<Kv, "key">>(PUT_LEASE, [[key], [holder], ttlSeconds], "put_lease");
  return rows.length > 0;
}

const END_LEASES = `
  DELETE FROM kv USING (
    SELECT key FROM kv
    JOIN unnest(${anyLength(2, "text")}, ${anyLength(3, "text")}) AS ended(key, holder) USING (key)
    WHERE shop = $1 AND value = to_jsonb(holder) AND ${NO_WAIT_FOR_DISK} ORDER BY key FOR UPDATE OF kv
  ) AS held WHERE kv.shop = $1 AND kv.key = held.key`;

/**
 * Deletes the leases that their holders still have, in the order of the keys. Outside of a transaction,
 * as `putLeasesIfFree`.
 */
export async function endLeases(sql: TenantSql, leases: readonly LeaseKey[]): Promise<void> {
  await sql(
    END_LEASES,
    [leases.map(({ key }) => key), leases.map(({ holder }) => holder)],
    "end_leases",
  );
}
