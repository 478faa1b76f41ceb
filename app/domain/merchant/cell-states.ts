// The cells as the operator's page shows them, and the newest moves of stores between them.
import type { Ctx } from "../../context.server.ts";
import { HOME_REGION } from "../../runtime/settings.ts";
import { readQueueDepths } from "../bus/log/queue-depth.ts";
import { countStores } from "../tenants/directory.ts";
import { listMoves, type MoveView } from "../tenants/moves/move-record.ts";
import { readCellSize } from "../tenants/provision-region.ts";

const MOVES = 5;

export type CellState = {
  cell: string;
  /** `elsewhere`: this process does not serve it, and has no connection to it. */
  state: "up" | "down" | "elsewhere";
  stores: number;
  /** Null where it cannot be read. */
  bytes: number | null;
  waiting: number | null;
  oldestDueSeconds: number | null;
};
export type CellStates = { cells: CellState[]; moves: MoveView[] };

export async function readCells(ctx: Ctx): Promise<CellStates> {
  const names = [HOME_REGION, ...Object.keys(ctx.config.regionDatabaseUrls)];
  const [stores, moves] = await Promise.all([countStores(ctx), listMoves(ctx, { limit: MOVES })]);
  const cells = await Promise.all(names.map((cell) => readCell(ctx, cell, stores.get(cell) ?? 0)));
  return { cells, moves };
}

async function readCell(ctx: Ctx, cell: string, stores: number): Promise<CellState> {
  const unknown = { cell, stores, bytes: null, waiting: null, oldestDueSeconds: null };
  if (!ctx.regions.serves(cell)) return { ...unknown, state: "elsewhere" };
  try {
    const database = ctx.regions.get(cell);
    const [bytes, { queue }] = await Promise.all([
      readCellSize(database),
      readQueueDepths(database),
    ]);
    const pending = queue.filter(({ status }) => status === "pending");
    return {
      cell,
      stores,
      state: "up",
      bytes,
      waiting: pending.reduce((sum, { count }) => sum + count, 0),
      oldestDueSeconds: Math.max(0, ...pending.map((row) => Math.round(row.oldest_due_seconds))),
    };
  } catch {
    return { ...unknown, state: "down" };
  }
}
