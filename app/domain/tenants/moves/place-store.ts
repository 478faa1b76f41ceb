// POST /admin/provision-region: a new store is assigned to its cell at once, and one with rows is moved there.
import { setTimeout as pause } from "node:timers/promises";
import type { Ctx } from "../../../context.server.ts";
import { AppError, isAppError } from "../../../runtime/errors.ts";
import { countTables, provisionRegion } from "../provision-region.ts";
import { getMove, type MoveView } from "./move-record.ts";
import { requestMove } from "./request-move.ts";

/** A small store has moved by then; of a larger one the caller asks for the progress. */
const WAIT_MS = 15_000;
const POLL_MS = 50;

export type Placed = { tables: number; move: MoveView | null };

/**
 * Throws `tenant_has_data` with what is missing when the store has rows and the databases cannot move them, and
 * `move_not_possible` when the move failed meanwhile.
 */
export async function placeStore(ctx: Ctx, shop: string, cell: string): Promise<Placed> {
  try {
    return { tables: await provisionRegion(ctx, shop, cell), move: null };
  } catch (error) {
    if (!isAppError(error) || error.code !== "tenant_has_data") throw error;
  }
  const move = await awaitMove(ctx, await beginMove(ctx, shop, cell));
  if (move.state === "failed" || move.state === "cancelled")
    throw new AppError("move_not_possible", {
      message: move.error ?? "The move was cancelled.",
      details: { move_id: move.id },
    });
  return { tables: await countTables(ctx, cell), move };
}

async function beginMove(ctx: Ctx, shop: string, cell: string): Promise<MoveView> {
  try {
    return await requestMove(ctx, shop, cell);
  } catch (error) {
    if (isAppError(error) && error.code === "move_not_possible")
      throw new AppError("tenant_has_data", {
        message: `The store has rows, which have to be moved. ${error.message}`,
        details: error.details,
      });
    throw error;
  }
}

async function awaitMove(ctx: Ctx, begun: MoveView): Promise<MoveView> {
  const deadline = performance.now() + WAIT_MS;
  let move = begun;
  while ((move.state === "waiting" || move.state === "running") && performance.now() < deadline) {
    await pause(POLL_MS);
    move = await getMove(ctx, begun.id);
  }
  return move;
}
