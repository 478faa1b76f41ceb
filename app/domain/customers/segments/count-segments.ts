// Counts the customers of segments. A count costs what it counts, so it is kept with its time, and taken
// again when the screen is opened and the last one is old: the screen itself reads what is kept.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, Segment as SegmentRow } from "../../../db.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { conditionOf, prepareFilter } from "../list/filter-condition.ts";
import { SegmentFilter } from "./segment.ts";

const FRESH_MINUTES = 10;
/** One call ends after this; the screen calls again for what is left. */
const BUDGET_MS = 2_000;

/** Over `segments s`. A bulk change that has ended may have moved customers in or out. */
export const IS_STALE = `(s.counted_at IS NULL
  OR s.counted_at < clock_timestamp() - interval '${FRESH_MINUTES} minutes'
  OR s.counted_at < (SELECT max(finished_at) FROM tag_runs WHERE shop = s.shop))`;

const NEXT = `SELECT s.id, s.filter, s.version FROM segments s WHERE s.shop = $1 AND ${IS_STALE}
  ORDER BY s.counted_at NULLS FIRST, s.id LIMIT 1`;

// Only while the filter is the one that was counted. The time is the one before the count.
const KEEP = `UPDATE segments SET customers = $4, counted_at = $5::timestamptz
  WHERE shop = $1 AND id = $2::uuid AND version = $3`;

type Due = Columns<SegmentRow, "id" | "version"> & { filter: unknown };

/** Counts what is due, the oldest first. False when some are left for another call. */
export async function countSegments(ctx: Ctx, tenant: Tenant): Promise<{ isComplete: boolean }> {
  const { sql } = dataOf(ctx, tenant);
  const until = performance.now() + BUDGET_MS;
  while (performance.now() < until) {
    const [due] = await sql<Due>(NEXT);
    if (!due) return { isComplete: true };
    const filter = SegmentFilter.safeParse(due.filter).data;
    const condition = filter
      ? conditionOf(await prepareFilter(ctx, tenant, filter), 2)
      : { sql: "u.shop = $1 AND false", values: [] };
    const [row] = await sql<{ customers: number; at: string }>(
      `SELECT count(*)::int AS customers, statement_timestamp()::text AS at
        FROM storefront_users u WHERE ${condition.sql}`,
      condition.values,
    );
    if (row) await sql(KEEP, [due.id, due.version, filter ? row.customers : null, row.at]);
  }
  return { isComplete: false };
}
