/**
 * Turns synchronous_commit off for one statement. It is always true: put it into that statement's WHERE.
 * Not for a transaction of several statements.
 *
 * After a crash of the database the write may be lost. That is safe for leases, because a lost lease counts
 * as expired, and for steps that a later commit confirms: a commit that waits for the disk also waits for
 * everything that was written before it.
 */
export const NO_WAIT_FOR_DISK =
  "(SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL";
