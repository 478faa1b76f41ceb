// What each kind of bulk run does to a slice of customers. A change and its count commit together: a worker
// that dies within a slice leaves what is not counted to the next one.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { TenantData, TenantSql } from "../../../db.server.ts";
import { isAppError } from "../../../runtime/errors.ts";
import { BACKGROUND_PRIORITY, updateSystemTags } from "../../tags/system-tags.ts";
import { dataOf, getTenant, type Tenant } from "../../tenants/tenant.ts";
import { Audience, enqueueAudience } from "../segments/profile-audience.ts";
import { writeTagsWithin } from "../tag-change.ts";
import { recordRefusal } from "./refusals.ts";
import type { CustomerAction } from "./run-inputs.ts";
import type { Run } from "./run-row.ts";

/** Each customer in a transaction of its own. */
const SLICE = 50;
/** All customers of a slice in one transaction. */
const LARGE_SLICE = 500;

/**
 * Changes of one customer by rules that this subject may not import, in the caller's transaction; true when
 * something changed.
 */
export type CustomerActions = Record<
  CustomerAction,
  (ctx: Ctx, tenant: Tenant, sql: TenantSql, userId: number, runId: string) => Promise<boolean>
>;

type Counts = { processed: number; changed: number; refused: number };
/** Adds to the run's counts, up to the customer `position`. Throws LeaseLost. */
export type AddCounts = (sql: TenantSql, position: number, counts: Counts) => Promise<void>;
/** `current`: the tenant as it is when the slice begins. Returns how many customers changed. */
type ChangeAll = (sql: TenantSql, ids: readonly number[], current: Tenant) => Promise<number>;
/** `change` returns how many it has processed: fewer than were given when the worker stops. */
export type Step = { size: number; change(ids: readonly number[]): Promise<number> };

type StepOptions = {
  actions: CustomerActions;
  /** What the run was started with: its selection, or the audience of a profile run. */
  stored: unknown;
  addCounts: AddCounts;
  stopping: AbortSignal;
};

export function stepOf(
  ctx: Ctx,
  tenant: Tenant,
  run: Run,
  { actions, stored, addCounts, stopping }: StepOptions,
): Step {
  const { transaction } = dataOf(ctx, tenant);
  const changeAll = (change: ChangeAll): Step => ({
    size: LARGE_SLICE,
    async change(ids) {
      // Read again for each slice: a run that began later may already apply newer rules.
      const current = await getTenant(ctx, tenant.shop);
      return transaction(async (sql) => {
        const changed = await change(sql, ids, current);
        const counts = { processed: ids.length, changed, refused: 0 };
        await addCounts(sql, ids.at(-1) as number, counts);
        return ids.length;
      });
    },
  });
  if (run.kind === "profile") {
    const { audience } = z.object({ audience: Audience }).parse(stored);
    return changeAll(async (sql, ids) => {
      await enqueueAudience(ctx, sql, run.id, audience, ids);
      return ids.length;
    });
  }
  if (run.kind === "rules") {
    const options = { announce: "every_system", priority: BACKGROUND_PRIORITY } as const;
    return changeAll((sql, ids, current) => updateSystemTags(ctx, current, sql, ids, options));
  }
  const change = changeOf(ctx, tenant, run, actions);
  return {
    size: SLICE,
    async change(ids) {
      let processed = 0;
      for (const id of ids) {
        if (stopping.aborted) break;
        await changeOne(dataOf(ctx, tenant), run.id, id, change, addCounts);
        processed += 1;
      }
      return processed;
    },
  };
}

type ChangeCustomer = (sql: TenantSql, userId: number) => Promise<boolean>;

function changeOf(ctx: Ctx, tenant: Tenant, run: Run, actions: CustomerActions): ChangeCustomer {
  if (run.kind !== "tags")
    return (sql, userId) => actions[run.kind as CustomerAction](ctx, tenant, sql, userId, run.id);
  return async (sql, userId) => {
    const { added, removed } = await writeTagsWithin(ctx, tenant, sql, userId, {
      add: run.add,
      remove: run.remove,
      source: "admin",
      categories: null,
    });
    return added.length + removed.length > 0;
  };
}

async function changeOne(
  { sql, transaction }: TenantData,
  runId: string,
  userId: number,
  change: ChangeCustomer,
  addCounts: AddCounts,
): Promise<void> {
  try {
    await transaction(async (within) => {
      const changed = (await change(within, userId)) ? 1 : 0;
      await addCounts(within, userId, { processed: 1, changed, refused: 0 });
    });
  } catch (error) {
    // Deleted meanwhile, or at the storefront's limit of tags: the run continues with the other
    // customers.
    if (!isAppError(error) || error.status >= 500) throw error;
    const { code } = error;
    if (code === "not_found")
      return addCounts(sql, userId, { processed: 1, changed: 0, refused: 0 });
    await transaction(async (within) => {
      await recordRefusal(within, { runId, userId, reason: code });
      await addCounts(within, userId, { processed: 1, changed: 0, refused: 1 });
    });
  }
}
