// One move, from where it stands to its end. A worker may be killed anywhere: each step is safe to repeat, and
// the step in the record is where the next worker goes on (docs/decisions/043-cells-and-moves.md).
//
//   prepare -> copy -> catch_up -> [verify] -> barrier -> (flip) -> clean -> done
//                 \________\___________\__________\-> undo -> failed | cancelled
import type { Ctx } from "../../../context.server.ts";
import { isDatabaseAway } from "../../../runtime/database/postgres-errors.ts";
import { LeaseLost } from "../../../runtime/database/queue/lease.ts";
import type { OwnerConnection } from "../../../runtime/database/cells/owner-connection.ts";
import { openBarrier, removeHold } from "./barrier.ts";
import { catchUp } from "./catch-up.ts";
import { cleanSource } from "./clean-source.ts";
import { copyStore } from "./copy-store.ts";
import {
  homeSql,
  isCancelRequested,
  storeMoves,
  type Move,
  type MoveProgress,
} from "./move-record.ts";
import {
  Interrupted,
  MoveCancelled,
  MoveFailed,
  startRun,
  type MoveOptions,
  type MoveRun,
} from "./move-run.ts";
import { CellAway, openCell } from "./open-cell.ts";
import { prepareMove } from "./prepare-move.ts";
import { beginUndo, performUndo } from "./undo-move.ts";

const MAX_ATTEMPTS = 5;

export async function runMove(
  ctx: Ctx,
  move: Move,
  stopping: AbortSignal,
  options: MoveOptions = {},
): Promise<void> {
  let source: OwnerConnection | null = null;
  let target: OwnerConnection | null = null;
  try {
    source = await openCell(ctx, move.from_cell);
    target = await openTarget(ctx, move);
    if (!target && move.step !== "undo") await beginUndo(ctx, move, new MoveCancelled());
    if (!target || move.step === "undo") return await performUndo(ctx, move, source, target);
    const run = await startRun({ ctx, move, source, target, stopping, options });
    await continueFromStep(run);
  } catch (error) {
    await settleAfterError(ctx, move, { source, target, error });
  } finally {
    await source?.close();
    await target?.close();
  }
}

/** Null when the target is away and the move is undone: the undo does without it. */
async function openTarget(ctx: Ctx, move: Move): Promise<OwnerConnection | null> {
  try {
    return await openCell(ctx, move.to_cell);
  } catch (error) {
    if (move.step === "undo" || (await isCancelRequested(ctx, move))) return null;
    throw error;
  }
}

async function continueFromStep(run: MoveRun): Promise<void> {
  const { move, source } = run;
  // The previous worker died inside the barrier. The flip commits together with the step "clean", so it did not happen.
  if (move.step === "verify" || move.step === "barrier") {
    await openBarrier(source, move.shop);
    await removeHold(source, move.shop);
    move.step = "catch_up";
  }
  if (move.step !== "clean") await run.check();
  if (move.step === "prepare") await prepareMove(run);
  if (move.step === "copy") await copyStore(run);
  if (move.step === "catch_up") await catchUp(run);
  await cleanSource(run);
}

type ErrorKind = "lost" | "interrupted" | "final" | "away" | "unexpected";

function classify(error: unknown): ErrorKind {
  if (error instanceof LeaseLost) return "lost";
  if (error instanceof Interrupted) return "interrupted";
  if (error instanceof MoveCancelled || error instanceof MoveFailed) return "final";
  if (error instanceof CellAway || isDatabaseAway(error)) return "away";
  return "unexpected";
}

/** Null: the connection that was not open yet, or that an undo does without. */
type FailedStep = {
  source: OwnerConnection | null;
  target: OwnerConnection | null;
  error: unknown;
};

/** Undoes a move that was cancelled, that cannot succeed, or that failed too often. Any other goes on later. */
async function settleAfterError(
  ctx: Ctx,
  move: Move,
  { source, target, error }: FailedStep,
): Promise<void> {
  const kind = classify(error);
  const mayGiveUp = move.step !== "clean" && move.step !== "undo";
  const isHopeless = kind === "unexpected" && mayGiveUp && move.attempts + 1 >= MAX_ATTEMPTS;
  if (!source || !(kind === "final" || isHopeless)) return goOnLater(ctx, move, error);
  if (isHopeless) logUnexpected(ctx, move, error);
  try {
    await beginUndo(ctx, move, error as Error);
    await performUndo(ctx, move, source, target);
  } catch (failure) {
    await goOnLater(ctx, move, failure);
  }
}

/** Another worker goes on with the move's step. Throws LeaseLost when one has the move already. */
async function goOnLater(ctx: Ctx, move: Move, error: unknown): Promise<void> {
  const kind = classify(error);
  if (kind === "lost") throw error;
  if (kind === "interrupted") return reschedule(ctx, move, 0, {});
  if (kind === "away")
    return reschedule(ctx, move, 1_000, {
      waits_for: error instanceof CellAway ? error.message : "a database that does not answer",
    });
  if (kind === "unexpected") logUnexpected(ctx, move, error);
  move.attempts += 1;
  return reschedule(ctx, move, Math.min(30_000, 250 * 2 ** move.attempts), {
    waits_for: "another attempt after an error",
  });
}

function logUnexpected(ctx: Ctx, move: Move, error: unknown): void {
  const { shop, id, step } = move;
  ctx.log.error("store_move.step_failed", error, { shop, move_id: id, step });
}

async function reschedule(
  ctx: Ctx,
  move: Move,
  delayMs: number,
  progress: MoveProgress,
): Promise<void> {
  await storeMoves.settle(
    homeSql(ctx, move),
    move,
    "state = 'waiting', next_attempt_at = clock_timestamp() + make_interval(secs => $4), attempts = $5, progress = $6::jsonb",
    [delayMs / 1_000, move.attempts, JSON.stringify({ ...move.progress, ...progress })],
  );
}
