// How long history is kept. What is older goes in small statements: one that deletes a million rows holds up everybody.
import type { Database } from "./database.ts";

type Kept = { table: string; column: string; days: number; where: string };

/** Every column has a block range index: old rows lie together. */
const KEPT: readonly Kept[] = [
  {
    table: "integration_queue",
    column: "created_at",
    days: 30,
    where: "status = 'delivered' AND archived_at IS NOT NULL",
  },
  { table: "delivery_attempts", column: "created_at", days: 30, where: "true" },
  { table: "channel_minutes", column: "minute", days: 8, where: "true" },
  // Longer than any of them lives: until then a refresh token that comes back tells that it was stolen.
  { table: "oauth_tokens", column: "created_at", days: 40, where: "expires_at < now()" },
  // What was bought stays for as long as somebody may ask how; what was not bought is nobody's business.
  { table: "checkout_sessions", column: "created_at", days: 30, where: "status = 'canceled'" },
  { table: "checkout_sessions", column: "created_at", days: 400, where: "status = 'completed'" },
  {
    table: "webhook_inbox",
    column: "received_at",
    days: 30,
    where: "status IN ('done', 'failed')",
  },
];
const ROWS_PER_STATEMENT = 5_000;

/** Deletes what is older than its time, until nothing is left or the signal says stop. Safe to repeat and to run twice at once. */
export async function forgetHistory(database: Database, signal: AbortSignal): Promise<number> {
  let total = 0;
  for (const { table, column, days, where } of KEPT)
    for (
      let deleted = ROWS_PER_STATEMENT;
      deleted === ROWS_PER_STATEMENT && !signal.aborted;
      total += deleted
    ) {
      const rows = await database.acrossTenants(
        `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${column} < now() - interval '${days} days' AND ${where} LIMIT ${ROWS_PER_STATEMENT} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
      );
      deleted = rows.length;
    }
  return total;
}
