// Deletes old rows of every store at once. Older rows are deleted in small statements: one that
// deletes a million rows blocks others.
import type { Database } from "./database.ts";

/** The rows of a table that are deleted `after` days; the column has a block range index. */
type AgedRows = { table: string; column: string; where: string; after: number };

const ROWS_PER_STATEMENT = 5_000;

/**
 * Deletes rows beyond their retention, until nothing is left or the signal is aborted. Safe to
 * repeat and to run twice at once.
 */
export async function forgetHistory(
  database: Database,
  rules: readonly AgedRows[],
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const { table, column, after, where } of rules)
    for (
      let deleted = ROWS_PER_STATEMENT;
      deleted >= ROWS_PER_STATEMENT && !signal.aborted;
      total += deleted
    ) {
      // The condition stands outside too: rows of two partitions have the same ctid.
      const isOld = `${column} < now() - interval '${after} days' AND ${where}`;
      const rows = await database.acrossTenants(
        `DELETE FROM ${table} WHERE ${isOld} AND ctid = ANY(ARRAY(SELECT ctid FROM ${table}
          WHERE ${isOld} LIMIT ${ROWS_PER_STATEMENT} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
      );
      deleted = rows.length;
    }
  return total;
}
