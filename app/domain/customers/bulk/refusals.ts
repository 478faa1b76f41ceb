// The customers whom a bulk run left as they were, and why: recorded while it runs, and read as a file.
// A customer who is gone meanwhile is not refused.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser, TagRunRefusal, TenantSql } from "../../../db.server.ts";
import { toCsvLine } from "../../../runtime/text/csv.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

/** Of one run. Beyond it they are counted only. */
export const MAX_REFUSALS = 10_000;

const SLICE = 1_000;

/** `reason`: an error code. */
type Refusal = { runId: string; userId: number; reason: string };

/**
 * Call it in the transaction that counts the refusal, before the count. It locks the customer, against an
 * erasure at the same moment, which deletes what is recorded before it. Safe to repeat.
 */
export async function recordRefusal(
  sql: TenantSql,
  { runId, userId, reason }: Refusal,
): Promise<void> {
  await sql(
    `INSERT INTO tag_run_refusals (shop, run_id, user_id, reason)
      SELECT $1, $2::uuid, u.id, $4 FROM storefront_users u
      WHERE u.shop = $1 AND u.id = $3 AND u.status <> 'deleted'
        AND (SELECT refused FROM tag_runs WHERE shop = $1 AND id = $2::uuid) < ${MAX_REFUSALS}
      FOR SHARE OF u
      ON CONFLICT DO NOTHING`,
    [runId, userId, reason],
  );
}

const COLUMNS = ["id", "storefront_customer_gid", "reason", "refused_at"] as const;

type Row = Columns<StorefrontUser, "id" | "storefront_customer_gid"> &
  Columns<TagRunRefusal, "reason"> & { refused_at: Date };

/**
 * A slice of lines at a time, in the order of ids; no name and no address. The byte order mark declares
 * UTF-8. `explain` puts a reason into words. `onEnd` gets the number of rows that were read, also when the
 * download was ended before its end.
 */
export async function* exportRefusals(
  ctx: Ctx,
  tenant: Tenant,
  runId: string,
  explain: (reason: string) => string,
  onEnd: (rows: number) => Promise<void>,
): AsyncGenerator<string> {
  const { sql } = dataOf(ctx, tenant);
  let count = 0;
  try {
    yield `\ufeff${toCsvLine([...COLUMNS, "explanation"])}`;
    for (let last = 0; ;) {
      const rows: Row[] = await sql<Row>(
        `SELECT u.id, u.storefront_customer_gid, r.reason, r.created_at AS refused_at
          FROM tag_run_refusals r JOIN storefront_users u ON u.shop = r.shop AND u.id = r.user_id
          WHERE r.shop = $1 AND r.run_id = $2::uuid AND r.user_id > $3
          ORDER BY r.user_id LIMIT ${SLICE}`,
        [runId, last],
      );
      count += rows.length;
      if (rows.length > 0)
        yield rows
          .map((row) => toCsvLine([...COLUMNS.map((name) => row[name]), explain(row.reason)]))
          .join("");
      if (rows.length < SLICE) return;
      last = rows.at(-1)?.id ?? last;
    }
  } finally {
    await onEnd(count);
  }
}
