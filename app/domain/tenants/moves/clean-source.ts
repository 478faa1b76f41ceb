// The last step of a move: the source keeps nothing of the store.
import { markGone, removeHold, removeMark } from "./barrier.ts";
import { homeSql, storeMoves } from "./move-record.ts";
import type { MoveRun } from "./move-run.ts";
import { deleteMovedRows, raiseSequences } from "./moved-tables.ts";
import { dropSourceSide, dropSubscription, replicationName } from "./replication.ts";

/** The store is at the target. Nothing here is undone; it is repeated until it is done. */
export async function cleanSource(run: MoveRun): Promise<void> {
  const { ctx, move, source, target, tables } = run;
  const { shop, id } = move;
  await markGone(source, shop, id);
  const name = replicationName(id);
  // Before the source's rows are deleted: the deletions would follow to the target.
  const copySlots = await dropSubscription(target, name);
  await dropSourceSide(source, name, copySlots);
  await removeMark(target, shop);
  await removeHold(target, shop);
  await raiseSequences(source, target, tables);
  const deleted = await deleteMovedRows(source, tables, shop, run.check);
  await storeMoves.settle(
    homeSql(ctx, move),
    move,
    "state = 'done', finished_at = clock_timestamp(), progress = $4::jsonb",
    [JSON.stringify({ ...move.progress, rows_deleted: deleted, waits_for: null })],
  );
  ctx.log.info("store_move.done", { shop, move_id: id, from: move.from_cell, to: move.to_cell });
}
