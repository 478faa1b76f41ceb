// Ends a bulk run before its time. What it has changed stays changed.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { TagRun, Columns, TenantSql } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { SHOWN, toState, type BulkRunState, type ShownRun } from "./run-row.ts";

export const CancelledRun = z.object({ id: z.uuid() });

/**
 * A waiting run ends at once, a running one when its worker looks next: after a slice, and once the members
 * of a store admin's segment are read. The run of the rules cannot be cancelled: customers would keep tags
 * that no rule gives. Throws `not_found`; a run that has ended stays as it is.
 */
export async function cancelRun(ctx: Ctx, tenant: Tenant, id: string): Promise<BulkRunState> {
  return dataOf(ctx, tenant).transaction(async (sql) => {
    const [ended] = await sql<ShownRun>(
      `UPDATE tag_runs SET state = 'cancelled', selection = '', finished_at = clock_timestamp()
        WHERE shop = $1 AND id = $2 AND kind <> 'rules' AND state = 'waiting'
        RETURNING ${SHOWN.join(", ")}`,
      [id],
    );
    if (ended) return toState(ended);
    const [run] = await sql<ShownRun>(
      `UPDATE tag_runs SET is_cancel_requested = is_cancel_requested OR state IN ('waiting', 'running')
        WHERE shop = $1 AND id = $2 AND kind <> 'rules' RETURNING ${SHOWN.join(", ")}`,
      [id],
    );
    if (!run) throw new AppError("not_found");
    return toState(run);
  });
}

export async function isCancelRequested(sql: TenantSql, id: string): Promise<boolean> {
  const [run] = await sql<Columns<TagRun, "is_cancel_requested">>(
    "SELECT is_cancel_requested FROM tag_runs WHERE shop = $1 AND id = $2",
    [id],
  );
  return run?.is_cancel_requested ?? false;
}
