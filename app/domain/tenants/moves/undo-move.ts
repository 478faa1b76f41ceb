// A move that was cancelled, or that cannot succeed: the store stays where it is.
import type { Ctx } from "../../../context.server.ts";
import type { OwnerConnection } from "../../../runtime/database/cells/owner-connection.ts";
import { findTenant } from "../tenant.ts";
import { dropGuards, findHolder, removeHold, removeMark } from "./barrier.ts";
import { homeSql, storeMoves, type Move } from "./move-record.ts";
import { MoveCancelled, MoveFailed } from "./move-run.ts";
import { deleteMovedRows, readMovedTables } from "./moved-tables.ts";
import { dropSourceSide, dropSubscription, replicationName } from "./replication.ts";

/** From here on the move only ends, as cancelled or failed: the record says which, and why. */
export async function beginUndo(ctx: Ctx, move: Move, cause: Error): Promise<void> {
  const endsAs = cause instanceof MoveCancelled ? "cancelled" : "failed";
  const reason =
    cause instanceof MoveFailed
      ? cause.message
      : "An unexpected error: the service's log says which.";
  Object.assign(move, {
    step: "undo",
    attempts: 0,
    error: endsAs === "failed" ? reason : null,
    progress: { ...move.progress, ends_as: endsAs },
  });
  await storeMoves.update(
    homeSql(ctx, move),
    move,
    "step = 'undo', attempts = 0, error = $4, progress = $5::jsonb",
    [move.error, JSON.stringify(move.progress)],
  );
}

/**
 * The store stays, and the target has nothing of it. Without the target, which is away, its side is left to the
 * next move there; the source's side never is, because a slot keeps the log.
 */
export async function performUndo(
  ctx: Ctx,
  move: Move,
  source: OwnerConnection,
  target: OwnerConnection | null,
): Promise<void> {
  const { shop, id } = move;
  const name = replicationName(id);
  await removeHold(source, shop);
  await dropGuards(source, shop);
  const copySlots = target ? await dropSubscription(target, name) : null;
  await dropSourceSide(source, name, copySlots);
  await removeMark(source, shop);
  const holder = target ? await findHolder(target, shop) : null;
  if (target && holder?.move_id === id) {
    await deleteMovedRows(target, await readMovedTables(target), shop, async () => {
      const tenant = await findTenant(ctx, shop);
      if (tenant?.region === move.to_cell)
        throw new Error("the store is at the target: its rows there are not deleted");
    });
    await removeHold(target, shop);
  }
  const state = move.progress.ends_as ?? "failed";
  await storeMoves.settle(
    homeSql(ctx, move),
    move,
    "state = $4, finished_at = clock_timestamp(), progress = $5::jsonb",
    [state, JSON.stringify({ ...move.progress, waits_for: null })],
  );
  ctx.log.warn(`store_move.${state}`, { shop, move_id: id, reason: move.error });
}
