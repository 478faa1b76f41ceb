// What the steps of one move share: its connections, its record, and what ends it early.
import type { Ctx } from "../../../context.server.ts";
import type { OwnerConnection } from "../../../runtime/database/cells/owner-connection.ts";
import { findTenant } from "../tenant.ts";
import {
  homeSql,
  isCancelRequested,
  storeMoves,
  type Move,
  type MoveProgress,
  type MoveStep,
} from "./move-record.ts";
import { readMovedTables, type MovedTable } from "./moved-tables.ts";

/** The move cannot succeed: it is undone, and an operator reads why. */
export class MoveFailed extends Error {}
/** An operator cancelled it: it is undone. */
export class MoveCancelled extends Error {}
/** The process stops: another one goes on. */
export class Interrupted extends Error {}

export type MoveOptions = {
  /** A test hook, called when a step starts, and between seal and flip. */
  reached?: (step: MoveStep | "sealed", move: Move) => void | Promise<void>;
  /** Time limit of the comparison inside the barrier. Larger stores are compared on snapshots beforehand. */
  checkBudgetMs?: number;
};

export type MoveRun = {
  ctx: Ctx;
  move: Move;
  source: OwnerConnection;
  target: OwnerConnection;
  tables: MovedTable[];
  options: MoveOptions;
  applyFailures: ApplyFailures;
  /** Begins the step, in the record. Throws LeaseLost. */
  enter(step: MoveStep, progress?: MoveProgress): Promise<void>;
  report(progress: MoveProgress): Promise<void>;
  /** Between any two things that take long. Throws when the move must not go on. */
  check(): Promise<void>;
};

const CHECK_EVERY_MS = 200;

export async function startRun({
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
    applyFailures: countApplyFailures(),
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

/** The number of failures in a row after which the move is given up. */
const MAX_APPLY_FAILURES = 3;
/** Postgres tries again after five seconds: errors that come closer together are one failure. */
const ONE_FAILURE_MS = 4_000;

/** The failures of the target to follow the source, since it last made progress. */
type ApplyFailures = {
  /**
   * Takes what Postgres has counted so far. Throws MoveFailed at the third failure in a row, because Postgres repeats what it
   * cannot apply for ever.
   */
  observe(errors: number): void;
  /** The target went on: what failed before has healed. */
  forget(): void;
  /** For the progress of the move: a target that refuses rows looks like one that is slow. */
  waitsFor(): string | null;
};

/**
 * A lost connection is one failure, although it ends several workers of the target and Postgres counts each. What was
 * counted before the first look belongs to an outage that ended an earlier run, or to this subscription's first attempt.
 */
function countApplyFailures(): ApplyFailures {
  let counted: number | null = null;
  let failures = 0;
  let failedAt = -Infinity;
  return {
    observe(errors) {
      const isNew = counted !== null && errors > counted;
      counted = errors;
      if (!isNew || performance.now() - failedAt < ONE_FAILURE_MS) return;
      failedAt = performance.now();
      failures += 1;
      if (failures >= MAX_APPLY_FAILURES)
        throw new MoveFailed(
          "The target cannot apply the changes of the source: the log of its server says why.",
        );
    },
    forget() {
      failures = 0;
    },
    waitsFor: () =>
      failures === 0
        ? null
        : `the target, which refused rows (${failures} of ${MAX_APPLY_FAILURES} attempts): the log of its server says why`,
  };
}
