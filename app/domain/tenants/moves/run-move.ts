// One move, from where it stands to its end. A worker may be killed anywhere: each step is safe to repeat, and
// the step in the record is where the next worker goes on (docs/decisions/043-cells-and-moves.md).
//
//   prepare -> copy -> catch_up -> [verify] -> barrier -> (flip) -> clean -> done
//                 \________\___________\__________\-> undo -> failed | cancelled
import { setTimeout as pause } from "node:timers/promises";
import type { Ctx } from "../../../context.server.ts";
import { isDatabaseAway } from "../../../runtime/database/database.ts";
import { LeaseLost } from "../../../runtime/database/queue/lease.ts";
import { MigrationError } from "../../../runtime/database/migrations/migration-error.ts";
import type { OwnerConnection } from "../../../runtime/database/cells/owner-connection.ts";
import { findTenant } from "../tenant.ts";
import {
  dropGuards,
  findHolder,
  holdArriving,
  markGone,
  openBarrier,
  removeHold,
  removeMark,
} from "./barrier.ts";
import { catchUp } from "./catch-up.ts";
import { storeMoves, type Move, type MoveProgress } from "./move-record.ts";
import {
  MoveFailed,
  requireApplied,
  waitsForTarget,
  type MoveOptions,
  type MoveRun,
} from "./move-run.ts";
import { deleteMovedRows, findRows, raiseSequences, readMovedTables } from "./moved-tables.ts";
import { findMissing } from "./prerequisites.ts";
import {
  createPublication,
  createSubscription,
  dropSourceSide,
  dropSubscription,
  readCopyState,
  replicationName,
} from "./replication.ts";
import { CellAway, openCell } from "./open-cell.ts";

class MoveCancelled extends Error {}
/** The process stops: another one goes on. */
class Interrupted extends Error {}

const MAX_ATTEMPTS = 5;
const POLL_MS = { first: 10, longest: 500 };
const CHECK_EVERY_MS = 200;

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
    target = await openCell(ctx, move.to_cell).catch(async (error: unknown) => {
      if (move.step !== "undo" && !(await isCancelRequested(ctx, move))) throw error;
      return null;
    });
    if (!target || move.step === "undo") {
      if (move.step !== "undo") await beginUndo(ctx, move, new MoveCancelled());
      return await performUndo(ctx, move, source, target);
    }
    const run = await startRun({ ctx, move, source, target, stopping, options });
    await continueFromStep(run);
  } catch (error) {
    await settleAfterError(ctx, move, source, target, error);
  } finally {
    await source?.close();
    await target?.close();
  }
}

const homeSql = (ctx: Ctx, { shop }: Move) => ctx.home.forTenant(shop).sql;

async function isCancelRequested(ctx: Ctx, move: Move): Promise<boolean> {
  const sql = homeSql(ctx, move);
  const [row] = await sql<{ is_cancel_requested: boolean }>(
    "SELECT is_cancel_requested FROM store_moves WHERE shop = $1 AND id = $2",
    [move.id],
  );
  return row?.is_cancel_requested ?? true;
}

async function startRun({
  ctx,
  move,
  source,
  target,
  stopping,
  options,
}: Pick<MoveRun, "ctx" | "move" | "source" | "target" | "options"> & {
  stopping: AbortSignal;
}): Promise<MoveRun> {
  let checkedAt = -Infinity;
  const save = async (assignments: string, values: unknown[]) => {
    await storeMoves.update(homeSql(ctx, move), move, assignments, values);
  };
  return {
    ctx,
    move,
    source,
    target,
    options,
    tables: await readMovedTables(source),
    async enter(step, progress = {}) {
      Object.assign(move.progress, progress);
      move.step = step;
      // A new step is progress, the same one after a holder's death is not.
      await save(
        "lease_lost = CASE WHEN step = $4 THEN lease_lost ELSE 0 END, step = $4, progress = $5::jsonb",
        [step, JSON.stringify(move.progress)],
      );
      ctx.log.info("store_move.step_entered", { shop: move.shop, move_id: move.id, step });
      await options.reached?.(step, move);
    },
    async report(progress) {
      Object.assign(move.progress, progress);
      await save("progress = $4::jsonb", [JSON.stringify(move.progress)]);
    },
    async check() {
      if (stopping.aborted) throw new Interrupted();
      if (performance.now() - checkedAt < CHECK_EVERY_MS) return;
      checkedAt = performance.now();
      if (move.step === "clean") return;
      if (await isCancelRequested(ctx, move)) throw new MoveCancelled();
      const tenant = await findTenant(ctx, move.shop);
      if (!tenant) throw new MoveFailed("The store was deleted meanwhile.");
      if (tenant.region !== move.from_cell)
        throw new MoveFailed(`The store is in the cell ${tenant.region} meanwhile.`);
    },
  };
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
  if (move.step === "prepare") await prepare(run);
  if (move.step === "copy") await copy(run);
  if (move.step === "catch_up") await catchUp(run);
  await clean(run);
}

async function prepare(run: MoveRun): Promise<void> {
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

async function copy(run: MoveRun): Promise<void> {
  const { ctx, move, source, target, tables } = run;
  const name = replicationName(move.id);
  await createPublication(source, name, tables, move.shop);
  const sourceUrl = ctx.regions.ownerUrl(move.from_cell);
  await createSubscription(source, target, name, sourceUrl).catch((error: unknown) => {
    const { code = "", message } = error as Error & { code?: string };
    // No right, or no password was asked for. Postgres names no part of the address here.
    if (/^(42501|2F003|28)/.test(code))
      throw new MoveFailed(`The target cannot subscribe to the source: ${message}`);
    throw error;
  });
  for (let waitMs = POLL_MS.first; ; waitMs = Math.min(waitMs * 2, POLL_MS.longest)) {
    await run.check();
    const state = await readCopyState(source, target, name);
    requireApplied(state.errors);
    await run.report({
      tables_copied: state.copied,
      lag_bytes: state.lagBytes,
      waits_for: waitsForTarget(state.errors),
    });
    if (state.copied === state.tables && state.tables >= tables.length) break;
    await pause(waitMs);
  }
  await run.enter("catch_up");
}

/** The store is at the target. Nothing here is undone; it is repeated until it is done. */
async function clean(run: MoveRun): Promise<void> {
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

type ErrorKind = "lost" | "interrupted" | "final" | "away" | "unexpected";

function classify(error: unknown): ErrorKind {
  if (error instanceof LeaseLost) return "lost";
  if (error instanceof Interrupted) return "interrupted";
  if (error instanceof MoveCancelled || error instanceof MoveFailed) return "final";
  if (error instanceof CellAway || isDatabaseAway(error)) return "away";
  return "unexpected";
}

/** Undoes a move that was cancelled, that cannot succeed, or that failed too often. Any other goes on later. */
async function settleAfterError(
  ctx: Ctx,
  move: Move,
  source: OwnerConnection | null,
  target: OwnerConnection | null,
  error: unknown,
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

/** From here on the move only ends, as cancelled or failed: the record says which, and why. */
async function beginUndo(ctx: Ctx, move: Move, cause: Error): Promise<void> {
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
async function performUndo(
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
