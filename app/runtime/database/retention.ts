// The retention of history. Older rows are deleted in small statements: one that deletes a million
// rows blocks others.
import type { Database } from "./database.ts";

/** How long the access log is kept. */
export const ACCESS_LOG_DAYS = 365;

type Kept = { table: string; column: string; days: number; where: string };

/** Every column has a block range index: old rows are stored together. */
const RETENTION: readonly Kept[] = [
  {
    table: "integration_queue",
    column: "created_at",
    days: 30,
    where: "status = 'delivered' AND archived_at IS NOT NULL",
  },
  { table: "delivery_attempts", column: "created_at", days: 30, where: "true" },
  { table: "channel_minutes", column: "minute", days: 8, where: "true" },
  // Longer than the lifetime of any token: until then a reused refresh token reveals a theft.
  { table: "oauth_tokens", column: "created_at", days: 40, where: "expires_at < now()" },
  // Completed purchases are kept for questions about them; canceled ones are deleted early.
  { table: "checkout_sessions", column: "created_at", days: 30, where: "status = 'canceled'" },
  { table: "checkout_sessions", column: "created_at", days: 400, where: "status = 'completed'" },
  {
    table: "webhook_inbox",
    column: "received_at",
    days: 30,
    where: "status IN ('done', 'failed')",
  },
  { table: "access_log", column: "created_at", days: ACCESS_LOG_DAYS, where: "true" },
];
const ROWS_PER_STATEMENT = 5_000;

/**
 * Deletes rows beyond their retention, until nothing is left or the signal is aborted. Safe to
 * repeat and to run twice at once.
 */
export async function forgetHistory(database: Database, signal: AbortSignal): Promise<number> {
  let total = 0;
  for (const { table, column, days, where } of RETENTION)
    for (
      let deleted = ROWS_PER_STATEMENT;
      deleted === ROWS_PER_STATEMENT && !signal.aborted;
      total += deleted
    ) {
      const rows = await database.acrossTenants(
        `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table}
          WHERE ${column} < now() - interval '${days} days' AND ${where} LIMIT ${ROWS_PER_STATEMENT}
          FOR UPDATE SKIP LOCKED)) RETURNING 1`,
      );
      deleted = rows.length;
    }
  return total;
}
