// Deletes a store's rows beyond their retention, table by table, in small statements. Safe to repeat
// and to stop anywhere: what is left is found again.
import type { Database, TenantSql } from "../../../db.server.ts";
import { daysOf, type RetentionDays } from "../../inventory/retention-settings.ts";
import { STORE_RULES, type TableRule } from "../../inventory/row-rules.ts";

const ROWS_PER_STATEMENT = 2_000;

/** Returns the number of deleted rows by table. */
export async function deleteOldRows(
  database: Database,
  shop: string,
  days: RetentionDays,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const { sql } = database.forTenant(shop);
  const deleted: Record<string, number> = {};
  for (const rule of STORE_RULES) {
    const sweep = rule.sweep === "id" ? sweepById : sweepAll;
    deleted[rule.table] = await sweep(sql, rule, daysOf(rule.after, days), signal);
  }
  return deleted;
}

/**
 * Walks the store's rows in the order of ids, by its primary key, and stops at the first slice
 * without an old row: an index by time would cost every insert.
 */
async function sweepById(
  sql: TenantSql,
  { table, column, where }: TableRule,
  days: number,
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (let after = 0; !signal.aborted;) {
    const [slice] = await sql<{ last: number | null; rows: number; has_old: boolean | null }>(
      `SELECT max(id) AS last, count(*)::int AS rows,
        bool_or(at < now() - make_interval(days => $3)) AS has_old
       FROM (SELECT id, ${column} AS at FROM ${table} WHERE shop = $1 AND id > $2
         ORDER BY id LIMIT ${ROWS_PER_STATEMENT}) AS slice`,
      [after, days],
    );
    if (!slice?.has_old || slice.last === null) break;
    const rows = await sql(
      `DELETE FROM ${table} WHERE shop = $1 AND id > $2 AND id <= $3
        AND ${column} < now() - make_interval(days => $4) AND (${where}) RETURNING 1`,
      [after, slice.last, days],
    );
    total += rows.length;
    if (slice.rows < ROWS_PER_STATEMENT) break;
    after = slice.last;
  }
  return total;
}

async function sweepAll(
  sql: TenantSql,
  { table, column, where }: TableRule,
  days: number,
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (
    let deleted = ROWS_PER_STATEMENT;
    deleted >= ROWS_PER_STATEMENT && !signal.aborted;
    total += deleted
  ) {
    // The condition stands outside too: rows of two partitions have the same ctid.
    const isOld = `shop = $1 AND ${column} < now() - make_interval(days => $2) AND (${where})`;
    const rows = await sql(
      `DELETE FROM ${table} WHERE ${isOld} AND ctid = ANY(ARRAY(SELECT ctid FROM ${table}
        WHERE ${isOld} LIMIT ${ROWS_PER_STATEMENT} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
      [days],
    );
    deleted = rows.length;
  }
  return total;
}
