// Works the moves of stores, a few per process: the rows are at home, and any process that has the addresses of
// both cells may work one.
import type { Ctx } from "../../../context.server.ts";
import { startWorkQueue, type WorkQueue } from "../../../runtime/database/queue/work-queue.ts";
import { dropOldGuards } from "./barrier.ts";
import { homeSql, storeMoves, type Move } from "./move-record.ts";
import type { MoveOptions } from "./move-run.ts";
import { openCell } from "./open-cell.ts";
import { runMove } from "./run-move.ts";

/** A move that waits for a target which lags must not stop the others. */
const MOVES_AT_ONCE = 3;
const STOP_WAIT_MS = 5_000;
const GUARDS_EVERY_MS = 60_000;

export function startMoveWorker(ctx: Ctx, options: MoveOptions = {}): Promise<WorkQueue> {
  let guardsAt = performance.now() + GUARDS_EVERY_MS;
  return startWorkQueue<Move>({
    name: "store_moves",
    database: ctx.home,
    notification: null,
    pollMs: ctx.config.WORKER_POLL_MS,
    leaseSeconds: storeMoves.leaseSeconds,
    concurrency: MOVES_AT_ONCE,
    stopWaitMs: STOP_WAIT_MS,
    log: ctx.log,
    async claim(limit) {
      if (performance.now() >= guardsAt) {
        guardsAt = performance.now() + GUARDS_EVERY_MS;
        await takeDownGuards(ctx);
      }
      const rows = await storeMoves.claim(ctx.home, limit);
      return rows.map((row) => ({ ...row, token: row.attempt_token }));
    },
    renew: (moves) => storeMoves.renew(ctx.home, moves),
    release: (moves) => storeMoves.release(ctx.home, moves),
    async work(move, stopping) {
      const isReachable = [move.from_cell, move.to_cell].every((cell) => ctx.regions.has(cell));
      // Another process may have the addresses that this one lacks.
      if (isReachable) await runMove(ctx, move, stopping, options);
      else
        await storeMoves.settle(
          homeSql(ctx, move),
          move,
          "state = 'waiting', next_attempt_at = clock_timestamp() + interval '2 seconds'",
        );
    },
  });
}

/** Drops the guards of stores that left a cell a while ago. */
async function takeDownGuards(ctx: Ctx): Promise<void> {
  for (const cell of ctx.regions.names())
    try {
      if (!(await hasOldGuards(ctx, cell))) continue;
      const connection = await openCell(ctx, cell);
      try {
        await dropOldGuards(connection);
      } finally {
        await connection.close();
      }
    } catch (error) {
      ctx.log.warn("store_move.guards_not_dropped", { cell, reason: (error as Error).message });
    }
}

async function hasOldGuards(ctx: Ctx, cell: string): Promise<boolean> {
  const rows = await ctx.regions
    .get(cell)
    .acrossTenants(
      "SELECT 1 FROM held_stores WHERE role = 'gone' AND is_held AND guarded_until < clock_timestamp() LIMIT 1",
    );
  return rows.length > 0;
}
