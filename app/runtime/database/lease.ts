// A lease in the key-value store: one holder across all processes, renewed while it works, expired
// after it dies.
import type { TenantSql } from "./database.ts";
import { deleteKeyIfHeld, KEYS, putLeaseIfFree, renewKeyIfHeld } from "./kv.ts";

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
  /**
   * Holds the lease until the end of the caller's transaction, or throws LeaseLost: then the
   * transaction must not commit.
   */
  fence(sql: TenantSql): Promise<void>;
};

/** Null at once when another holder has the lease. `onRenew` is called at each renewal. */
export async function withLease<T>(
  sql: TenantSql,
  name: string,
  holder: string,
  work: (lease: Lease) => Promise<T>,
  onRenew: () => void = () => {},
): Promise<{ result: T } | null> {
  const key = KEYS.lease(name);
  if (!(await putLeaseIfFree(sql, key, holder, LEASE_SECONDS))) return null;
  const renewing = setInterval(() => {
    onRenew();
    // A failed renewal has no effect yet: the fence decides.
    renewKeyIfHeld(sql, key, holder, LEASE_SECONDS).catch(() => {});
  }, RENEW_MS);
  try {
    const lease: Lease = {
      async fence(inside) {
        if (!(await renewKeyIfHeld(inside, key, holder, LEASE_SECONDS))) throw new LeaseLost(name);
      },
    };
    return { result: await work(lease) };
  } finally {
    clearInterval(renewing);
    await deleteKeyIfHeld(sql, key, holder);
  }
}
