// Works the bulk runs of one region, one at a time per process, in slices: a run whose worker dies
// continues at its last slice.
//
//   waiting -> running (lease, renewed with every slice) -> done | failed
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser, TagRun } from "../../../db.server.ts";
import { isDatabaseAway, type Database } from "../../../runtime/database/database.ts";
import { LeaseLost } from "../../../runtime/database/queue/lease.ts";
import { leasedTable, type LeasedRow } from "../../../runtime/database/queue/leased-table.ts";
import { startWorkQueue, type WorkQueue } from "../../../runtime/database/queue/work-queue.ts";
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import { BACKGROUND_PRIORITY, updateSystemTags } from "../../tags/system-tags.ts";
import { dataOf, findTenant, type Tenant } from "../../tenants/tenant.ts";
import { writeTags } from "../tag-change.ts";
import type { CustomerAction } from "./run-inputs.ts";
import { BULK_KINDS, sealContext, type BulkKind } from "./run-row.ts";
import { Audience, enqueueAudience } from "../segments/profile-audience.ts";
import { collectMembers, FORGET_MEMBERS, membersOf } from "../store-segments/collect-members.ts";
import { changedBy, CustomerSelection, selectionOf } from "./selection.ts";
import type { Condition } from "../list/filter-condition.ts";

/** Each customer in a transaction of its own. */
const SLICE = 50;
/** All customers of a slice in one transaction. */
const LARGE_SLICE = 500;
const STOP_WAIT_MS = 25_000;

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
type Run = RunRow & { shop: string; token: string };

/**
 * What later subjects do to one customer; true when something changed. Safe to repeat: `runId` is the
 * same when a slice is done again.
 */
export type CustomerActions = Record<
  CustomerAction,
  (ctx: Ctx, tenant: Tenant, userId: number, runId: string) => Promise<boolean>
>;

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
  const { sql, transaction } = database.forTenant(run.shop);
  const finish = (state: "done" | "failed", error: string | null) =>
    transaction(async (within) => {
      await bulkRuns.settle(
        within,
        run,
        "state = $4, last_error = $5, selection = '', finished_at = clock_timestamp()",
        [state, error],
      );
      if (run.store_segment !== null) await within(FORGET_MEMBERS, [run.id]);
    });
  const tenant = await findTenant(ctx, run.shop);
  if (!tenant) return finish("failed", "the store is not known here any more");
  try {
    const stored: unknown = JSON.parse(ctx.secrets.unseal(sealContext(run.shop), run.selection));
    const conditionOf = await customersOf(ctx, tenant, run, stored, stopping);
    const { size, change } = stepOf(ctx, tenant, run, actions, stored, stopping);
    for (let position = run.position; conditionOf && !stopping.aborted;) {
      const condition = await conditionOf(5);
      const people = await sql<Columns<StorefrontUser, "id">>(
        `SELECT u.id FROM storefront_users u WHERE ${condition.sql}
          AND ${changedBy(run.kind as BulkKind)} AND u.id > $2 AND u.id <= $3
          ORDER BY u.id LIMIT $4`,
        [position, run.last_id, size, ...condition.values],
      );
      const counts = await change(people.map(({ id }) => id));
      position = people[counts.processed - 1]?.id ?? position;
      await bulkRuns.update(
        sql,
        run,
        "position = $4, processed = processed + $5, changed = changed + $6, refused = refused + $7",
        [position, counts.processed, counts.changed, counts.refused],
      );
      // Not returned as a promise: its failure is this run's too.
      if (counts.processed === people.length && people.length < size)
        return await finish("done", null);
    }
    await bulkRuns.release(database, [run]);
  } catch (error) {
    // Without the database or the lease the run cannot be settled: the next worker continues it.
    if (isDatabaseAway(error) || error instanceof LeaseLost) throw error;
    ctx.log.error("bulk_run.failed", error, { shop: run.shop, run_id: run.id });
    await finish("failed", isFromStore(error) ? "storefront_unavailable" : "internal_error");
  }
}

const isFromStore = (error: unknown): boolean =>
  error instanceof OutboundError || (isAppError(error) && error.code === "not_installed");

type ConditionFrom = (first: number) => Promise<Condition>;

/** Whom the run means; null when the worker stops before that is known. */
async function customersOf(
  ctx: Ctx,
  tenant: Tenant,
  run: Run,
  stored: unknown,
  stopping: AbortSignal,
): Promise<ConditionFrom | null> {
  const { store_segment: segmentId } = run;
  if (segmentId === null) {
    const selection = CustomerSelection.parse(stored);
    return (first) => selectionOf(ctx, tenant, selection, first);
  }
  const data = dataOf(ctx, tenant);
  const collection = { ctx, tenant, data, table: bulkRuns, run, segmentId, stopping };
  if (!(await collectMembers(collection, stored))) return null;
  return async (first) => membersOf(run.id, first);
}

/** `processed`: fewer than were given when the worker stops. */
type Counts = { processed: number; changed: number; refused: number };
type Step = { size: number; change(ids: readonly number[]): Promise<Counts> };

function stepOf(
  ctx: Ctx,
  tenant: Tenant,
  run: Run,
  actions: CustomerActions,
  stored: unknown,
  stopping: AbortSignal,
): Step {
  if (run.kind === "profile") {
    const { audience } = z.object({ audience: Audience }).parse(stored);
    return {
      size: LARGE_SLICE,
      change: (ids) =>
        dataOf(ctx, tenant).transaction(async (sql) => {
          await enqueueAudience(ctx, sql, run.id, audience, ids);
          return { processed: ids.length, changed: ids.length, refused: 0 };
        }),
    };
  }
  if (run.kind !== "rules") {
    const change = changeOf(ctx, tenant, run, actions);
    return { size: SLICE, change: (ids) => changeEach(change, ids, stopping) };
  }
  const options = { announce: "every_system", priority: BACKGROUND_PRIORITY } as const;
  return {
    size: LARGE_SLICE,
    change: (ids) =>
      dataOf(ctx, tenant).transaction(async (sql) => ({
        processed: ids.length,
        changed: await updateSystemTags(ctx, tenant, sql, ids, options),
        refused: 0,
      })),
  };
}

/** Safe to repeat: a customer who has the tag, or the status, is not changed again. */
function changeOf(
  ctx: Ctx,
  tenant: Tenant,
  run: Run,
  actions: CustomerActions,
): (userId: number) => Promise<boolean> {
  if (run.kind !== "tags")
    return (userId) => actions[run.kind as CustomerAction](ctx, tenant, userId, run.id);
  return async (userId) => {
    const { added, removed } = await writeTags(ctx, tenant, userId, {
      add: run.add,
      remove: run.remove,
      source: "admin",
      categories: null,
    });
    return added.length + removed.length > 0;
  };
}

async function changeEach(
  change: (userId: number) => Promise<boolean>,
  ids: readonly number[],
  stopping: AbortSignal,
): Promise<Counts> {
  const counts = { processed: 0, changed: 0, refused: 0 };
  for (const id of ids) {
    if (stopping.aborted) break;
    counts.processed += 1;
    try {
      if (await change(id)) counts.changed += 1;
    } catch (error) {
      // Deleted meanwhile, or at the storefront's limit of tags: the run continues with the other
      // customers.
      if (!isAppError(error) || error.status >= 500) throw error;
      if (error.code !== "not_found") counts.refused += 1;
    }
  }
  return counts;
}
