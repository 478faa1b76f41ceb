// The customers whom a bulk run left as they were, and why: recorded while it runs, and read as a file.
// A customer who is gone meanwhile is not refused.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser, TagRunRefusal, TenantSql } from "../../../db.server.ts";
import { toCsvLine } from "../../../runtime/text/csv.ts";
import { slicedCsv } from "../../../runtime/text/sliced-csv.ts";
import { readWhereStoreIs } from "../../tenants/reading.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

/** A run stores this many refusals; further ones are only counted. */
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

const SELECT_REFUSALS = `
  SELECT u.id, u.storefront_customer_gid, r.reason, r.created_at AS refused_at
  FROM tag_run_refusals r JOIN storefront_users u ON u.shop = r.shop AND u.id = r.user_id
  WHERE r.shop = $1 AND r.run_id = $2::uuid AND r.user_id > $3
  ORDER BY r.user_id LIMIT ${SLICE}`;

type RefusalExport = {
  /** Puts a reason into words. */
  explain(reason: string): string;
  /** As slicedCsv calls it. */
  onEnd(rows: number): Promise<void>;
};

/** In the order of ids; no name and no address. The byte order mark declares UTF-8. */
export function exportRefusals(
  ctx: Ctx,
  tenant: Tenant,
  runId: string,
  { explain, onEnd }: RefusalExport,
): AsyncGenerator<string> {
  return slicedCsv<Row>({
    head: `\ufeff${toCsvLine([...COLUMNS, "explanation"])}`,
    sliceSize: SLICE,
    readAfter: (last) =>
      readWhereStoreIs(ctx, tenant, (at) =>
        dataOf(ctx, at).sql<Row>(SELECT_REFUSALS, [runId, last?.id ?? 0]),
      ),
    toValues: (row) => [...COLUMNS.map((name) => row[name]), explain(row.reason)],
    onEnd,
  });
}
