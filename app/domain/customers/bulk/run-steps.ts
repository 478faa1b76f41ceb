// What each kind of bulk run does to a slice of customers. Every step is safe to repeat: a worker that dies
// within a slice leaves it to the next one.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { isAppError } from "../../../runtime/errors.ts";
import { BACKGROUND_PRIORITY, updateSystemTags } from "../../tags/system-tags.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { Audience, enqueueAudience } from "../segments/profile-audience.ts";
import { writeTags } from "../tag-change.ts";
import type { CustomerAction } from "./run-inputs.ts";
import type { Run } from "./run-row.ts";

/** Each customer in a transaction of its own. */
const SLICE = 50;
/** All customers of a slice in one transaction. */
const LARGE_SLICE = 500;

/**
 * What later subjects do to one customer; true when something changed. Safe to repeat: `runId` is the
 * same when a slice is done again.
 */
export type CustomerActions = Record<
  CustomerAction,
  (ctx: Ctx, tenant: Tenant, userId: number, runId: string) => Promise<boolean>
>;

/** `processed`: fewer than were given when the worker stops. */
type Counts = { processed: number; changed: number; refused: number };
type Step = { size: number; change(ids: readonly number[]): Promise<Counts> };

export function stepOf(
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
