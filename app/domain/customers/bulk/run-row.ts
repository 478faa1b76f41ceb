// A bulk run as stored, and as its progress is shown. The table is still named after the first kind, so
// that a process of an earlier version can work beside this one.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, TagRun } from "../../../db.server.ts";
import { leasedTable, type LeasedRow } from "../../../runtime/database/queue/leased-table.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { CUSTOMER_ACTION_NAMES } from "./run-inputs.ts";

/** `rules`: the tags of the rules, for every customer (customers/system-tags). */
const BULK_KINDS = ["tags", "rules", "profile", ...CUSTOMER_ACTION_NAMES] as const;
export type BulkKind = (typeof BULK_KINDS)[number];

export const bulkRuns = leasedTable<LeasedRow & RunRow>({
  table: "tag_runs",
  idType: "uuid",
  stateColumn: "state",
  waiting: "waiting",
  running: "running",
  orderBy: "created_at",
  leaseSeconds: 30,
  kinds: BULK_KINDS,
  columns: ["kind", "selection", "add", "remove", "last_id", "position", "store_segment"],
});

type RunRow = Columns<
  TagRun,
  "id" | "kind" | "selection" | "add" | "remove" | "last_id" | "position" | "store_segment"
>;
export type Run = RunRow & { shop: string; token: string };

export const sealContext = (shop: string): string => `${shop}/tag_run`;

export type BulkRunState = {
  id: string;
  kind: BulkKind;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  started_at: string;
  total: number;
  processed: number;
  changed: number;
  refused: number;
  /** Members of the store admin's segment that are not known here, and so are left out. */
  unknown: number;
};

export const SHOWN = [
  "id",
  "kind",
  "state",
  "created_at",
  "total",
  "processed",
  "changed",
  "refused",
  "unknown",
] as const;
export type ShownRun = Columns<TagRun, (typeof SHOWN)[number]>;

export const toState = (run: ShownRun): BulkRunState => ({
  id: run.id,
  kind: run.kind as BulkKind,
  state: run.state as BulkRunState["state"],
  started_at: run.created_at.toISOString(),
  total: run.total,
  processed: run.processed,
  changed: run.changed,
  refused: run.refused,
  unknown: run.unknown,
});

export async function findBulkRun(
  ctx: Ctx,
  tenant: Tenant,
  id: string,
): Promise<BulkRunState | null> {
  if (!z.uuid().safeParse(id).success) return null;
  const row = await dataOf(ctx, tenant).prisma.tagRun.findUnique({
    where: { shop_id: { shop: tenant.shop, id } },
  });
  return row && toState(row);
}

const MAX_SHOWN = 5;

const runsOf = (which: string, order: "ASC" | "DESC") => `(SELECT ${SHOWN.join(", ")} FROM tag_runs
  WHERE shop = $1 AND ${which} ORDER BY created_at ${order}, id ${order} LIMIT ${MAX_SHOWN})`;

/**
 * What a merchant who comes back has to see: the oldest runs that wait or work, and the newest of a day that
 * did not change everybody. The oldest first.
 */
export const RUNS_TO_SHOW = `SELECT * FROM (
    ${runsOf("state IN ('waiting', 'running')", "ASC")} UNION ALL
    ${runsOf(
      `(state = 'failed' OR (state = 'done' AND refused > 0))
        AND finished_at > clock_timestamp() - interval '24 hours'`,
      "DESC",
    )}
  ) AS shown ORDER BY created_at, id`;

/** The run of the rules that waits or works. */
export async function findOpenRuleRun(ctx: Ctx, tenant: Tenant): Promise<BulkRunState | null> {
  const run = await dataOf(ctx, tenant).prisma.tagRun.findFirst({
    where: { shop: tenant.shop, kind: "rules", state: { in: ["waiting", "running"] } },
    orderBy: { created_at: "asc" },
  });
  return run && toState(run);
}
