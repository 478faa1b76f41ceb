/**
 * A condition that is true, for a statement of its own whose commit need not wait for the disk: when the
 * database crashes in the next moment it forgets what the statement wrote. So do leases, which then are
 * free as if they had expired, and what a later commit, which waits, makes final: that commit waits for
 * all that was written before it too.
 */
export const NO_WAIT_FOR_DISK =
  "(SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL";
