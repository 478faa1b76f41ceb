// The first step of a move: both cells can do it, and the target has nothing of the store.
import type { Ctx } from "../../../context.server.ts";
import { isDatabaseAway } from "../../../runtime/database/postgres-errors.ts";
import { MigrationError } from "../../../runtime/database/migrations/migration-error.ts";
import { dropGuards, findHolder, holdArriving } from "./barrier.ts";
import { MoveFailed, type MoveRun } from "./move-run.ts";
import { deleteMovedRows, findRows, raiseSequences, readMovedTables } from "./moved-tables.ts";
import { CellAway } from "./open-cell.ts";
import { findMissing } from "./prerequisites.ts";
import { dropSourceSide, dropSubscription, replicationName } from "./replication.ts";

export async function prepareMove(run: MoveRun): Promise<void> {
  const { ctx, move, source, target } = run;
  await run.options.reached?.("prepare", move);
  const missing = await findMissing(source, target, {
    from: move.from_cell,
    to: move.to_cell,
    sourceUrl: ctx.regions.ownerUrl(move.from_cell),
  });
  if (missing.length > 0) throw new MoveFailed(missing.join(" "));
  for (const cell of [move.from_cell, move.to_cell]) await migrate(ctx, cell);
  run.tables = await readMovedTables(source);
  const hadRows = (await findRows(source, run.tables, move.shop)) !== null;
  const holder = await findHolder(target, move.shop);
  // Without the mark of a store that left, or whose copy was not finished, rows at the target are not leftovers.
  const strange = holder ? null : await findRows(target, run.tables, move.shop);
  if (strange)
    throw new MoveFailed(
      `The cell ${move.to_cell} has rows of the store in ${strange} that no move left there: find out whose they are before the store is moved.`,
    );
  if (holder?.role === "arriving") {
    // An earlier attempt that could not be undone here, because this database was away.
    const name = replicationName(holder.move_id);
    await dropSourceSide(source, name, await dropSubscription(target, name));
  }
  await holdArriving(target, move.shop, move.id);
  await dropGuards(target, move.shop);
  await deleteMovedRows(target, run.tables, move.shop, run.check);
  await raiseSequences(source, target, run.tables);
  await run.enter("copy", { tables: run.tables.length, tables_copied: 0, had_rows: hadRows });
}

/** Throws MoveFailed with the remedy, and CellAway, for which the move waits. */
async function migrate(ctx: Ctx, cell: string): Promise<void> {
  try {
    await ctx.regions.migrate(cell);
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    if (isDatabaseAway(error.cause)) throw new CellAway(cell, error.cause);
    throw new MoveFailed(`Cell ${cell}: ${error.message}`);
  }
}
