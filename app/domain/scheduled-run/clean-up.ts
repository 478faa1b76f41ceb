// What a scheduled run deletes once in each region: expired keys, and history that has had its time.
import type { Ctx } from "../../context.server.ts";
import { deleteExpiredKeys } from "../../runtime/database/kv.ts";
import { forgetHistory } from "../../runtime/database/retention.ts";
import { applyPlatformRetention } from "../compliance/retention/apply-retention.ts";
import { REGION_RULES } from "../inventory/row-rules.ts";
import type { ScheduledRunReport } from "./report.ts";

/** `signal` ends the deletion of history; expired keys are deleted until the process is `stopping`. */
export async function cleanUp(
  ctx: Ctx,
  report: ScheduledRunReport,
  signal: AbortSignal,
  stopping: AbortSignal | undefined,
): Promise<void> {
  for (const region of ctx.regions.names()) {
    report.expired_keys += await deleteAllExpired(ctx, region, stopping);
    report.forgotten_rows += await forgetOld(ctx, region, signal);
  }
}

async function forgetOld(ctx: Ctx, region: string, signal: AbortSignal): Promise<number> {
  try {
    const database = ctx.regions.get(region);
    return (
      (await forgetHistory(database, REGION_RULES, signal)) +
      (await applyPlatformRetention(database, signal))
    );
  } catch (error) {
    ctx.log.warn("scheduled_run.history_not_forgotten", {
      region,
      reason: (error as Error).message,
    });
    return 0;
  }
}

async function deleteAllExpired(
  ctx: Ctx,
  region: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  let total = 0;
  try {
    for (let deleted = 1; deleted > 0 && !signal?.aborted; total += deleted)
      deleted = await deleteExpiredKeys(ctx.regions.get(region));
  } catch (error) {
    // An unreachable region keeps its expired keys until a later run.
    ctx.log.warn("scheduled_run.keys_not_removed", {
      region,
      reason: (error as Error).message,
    });
  }
  return total;
}
