// Works the bulk runs of one region, one at a time per process, in slices: a run whose worker dies
// continues behind the last customer whom it counted.
//
//   waiting -> running (lease, renewed with every slice) -> done | failed | cancelled
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser, TenantSql } from "../../../db.server.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { isPassingDatabaseError } from "../../../runtime/database/postgres-errors.ts";
import { LeaseLost } from "../../../runtime/database/queue/lease.ts";
import { startWorkQueue, type WorkQueue } from "../../../runtime/database/queue/work-queue.ts";
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import { dataOf, findTenant, type Tenant } from "../../tenants/tenant.ts";
import type { Condition } from "../list/filter-condition.ts";
import { collectMembers } from "../store-segments/collect-members.ts";
import { isCancelRequested } from "./cancel-run.ts";
import { MembersKept, membersOf } from "./run-members.ts";
import { bulkRuns, sealContext, type BulkKind, type Run } from "./run-row.ts";
import { stepOf, type AddCounts, type CustomerActions, type Step } from "./run-steps.ts";
import { changedBy, CustomerSelection, selectionOf } from "./selection.ts";

const STOP_WAIT_MS = 25_000;

export function startBulkRunWorker(
  ctx: Ctx,
  database: Database,
  actions: CustomerActions,
): Promise<WorkQueue> {
  return startWorkQueue<Run>({
    name: "tag_runs",
    database,
    notification: "tag_runs",
    pollMs: ctx.config.WORKER_POLL_MS,
    leaseSeconds: bulkRuns.leaseSeconds,
    concurrency: 1,
    stopWaitMs: STOP_WAIT_MS,
    log: ctx.log,
    async claim(limit) {
      const rows = await bulkRuns.claim(database, limit);
      return rows.map((row) => ({ ...row, token: row.attempt_token }));
    },
    renew: (runs) => bulkRuns.renew(database, runs),
    release: (runs) => bulkRuns.release(database, runs),
    work: (run, stopping) => workOn(ctx, database, run, actions, stopping),
  });
}

async function workOn(
  ctx: Ctx,
  database: Database,
  run: Run,
  actions: CustomerActions,
  stopping: AbortSignal,
): Promise<void> {
  const { sql } = database.forTenant(run.shop);
  const tenant = await findTenant(ctx, run.shop);
  if (!tenant) return finish(ctx, sql, run, "failed", "the store is not known here any more");
  try {
    const stored: unknown = JSON.parse(ctx.secrets.unseal(sealContext(run.shop), run.selection));
    const conditionOf = await customersOf(ctx, tenant, run, stored, stopping);
    const options = { actions, stored, addCounts: counterOf(run), stopping };
    const step = stepOf(ctx, tenant, run, options);
    const end = conditionOf && (await changeInSlices(sql, run, step, conditionOf, stopping));
    if (end) await finish(ctx, sql, run, end);
    else await bulkRuns.release(database, [run]);
  } catch (error) {
    // Without the database or the lease the run cannot be settled: the next worker continues it, also after
    // a statement that the database gave up.
    if (isPassingDatabaseError(error) || error instanceof LeaseLost) throw error;
    ctx.log.error("bulk_run.failed", error, { shop: run.shop, run_id: run.id });
    const reason = isFromStore(error) ? "storefront_unavailable" : "internal_error";
    await finish(ctx, sql, run, "failed", reason);
  }
}

/** `$1` to `$4` are the shop, the position, the last id and the size. */
const FIRST_CONDITION_PLACEHOLDER = 5;

/** Null when the worker stops before the last customer. */
async function changeInSlices(
  sql: TenantSql,
  run: Run,
  { size, change }: Step,
  conditionOf: ConditionAfter,
  stopping: AbortSignal,
): Promise<"done" | "cancelled" | null> {
  let { position } = run;
  while (!stopping.aborted) {
    if (await isCancelRequested(sql, run.id)) return "cancelled";
    const condition = await conditionOf(position, FIRST_CONDITION_PLACEHOLDER);
    const people = await sql<Columns<StorefrontUser, "id">>(
      `SELECT u.id FROM storefront_users u WHERE ${condition.sql}
        AND ${changedBy(run.kind as BulkKind)} AND u.id > $2 AND u.id <= $3
        ORDER BY u.id LIMIT $4`,
      [position, run.last_id, size, ...condition.values],
    );
    const processed = people.length > 0 ? await change(people.map(({ id }) => id)) : 0;
    position = people[processed - 1]?.id ?? position;
    if (processed === people.length && people.length < size) return "done";
  }
  return null;
}

const counterOf =
  (run: Run): AddCounts =>
  async (sql, position, { processed, changed, refused }) => {
    await bulkRuns.update(
      sql,
      run,
      `position = $4, processed = processed + $5, changed = changed + $6, refused = refused + $7,
       lease_lost = 0`,
      [position, processed, changed, refused],
    );
  };

async function finish(
  ctx: Ctx,
  sql: TenantSql,
  run: Run,
  state: "done" | "failed" | "cancelled",
  error: string | null = null,
): Promise<void> {
  await bulkRuns.settle(
    sql,
    run,
    "state = $4, last_error = $5, selection = '', finished_at = clock_timestamp()",
    [state, error],
  );
  ctx.log.info("bulk_run.ended", { shop: run.shop, run_id: run.id, kind: run.kind, state });
}

const isFromStore = (error: unknown): boolean =>
  error instanceof OutboundError || (isAppError(error) && error.code === "not_installed");

/** The customers after `position`; its values begin at the placeholder `$<first>`. */
type ConditionAfter = (position: number, first: number) => Promise<Condition>;

/** The condition of the customers that the run means; null when the worker stops before they are known. */
async function customersOf(
  ctx: Ctx,
  tenant: Tenant,
  run: Run,
  stored: unknown,
  stopping: AbortSignal,
): Promise<ConditionAfter | null> {
  const { store_segment: segmentId } = run;
  if (segmentId !== null) {
    const data = dataOf(ctx, tenant);
    const collection = { ctx, tenant, data, table: bulkRuns, run, segmentId, stopping };
    if (!(await collectMembers(collection, stored))) return null;
  } else if (!MembersKept.safeParse(stored).success) {
    // A run of the rules, whose selection is all customers, and a run of an earlier version keep the selection itself.
    const selection = CustomerSelection.parse(stored);
    return (_position, first) => selectionOf(ctx, tenant, selection, first);
  }
  return async (position, first) => membersOf(run.id, position, first);
}
