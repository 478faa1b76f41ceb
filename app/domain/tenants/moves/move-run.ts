// What the steps of one move share.
import type { Ctx } from "../../../context.server.ts";
import type { OwnerConnection } from "../../../runtime/database/cells/owner-connection.ts";
import type { Move, MoveProgress, MoveStep } from "./move-record.ts";
import type { MovedTable } from "./moved-tables.ts";

/** The move cannot succeed: it is undone, and an operator reads why. */
export class MoveFailed extends Error {}

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
  /** Begins the step, in the record. Throws LeaseLost. */
  enter(step: MoveStep, progress?: MoveProgress): Promise<void>;
  report(progress: MoveProgress): Promise<void>;
  /** Between any two things that take long. Throws when the move must not go on. */
  check(): Promise<void>;
};

/** The number of apply errors after which the move fails. */
const MAX_APPLY_ERRORS = 3;

/** Postgres repeats what it cannot apply for ever. */
export function requireApplied(errors: number): void {
  if (errors >= MAX_APPLY_ERRORS)
    throw new MoveFailed(
      "The target cannot apply the changes of the source: the log of its server says why.",
    );
}

/** From the first failure on: a target that refuses rows looks like one that is slow. */
export const waitsForTarget = (errors: number): string | null =>
  errors === 0
    ? null
    : `the target, which refused rows (${errors} of ${MAX_APPLY_ERRORS} attempts): the log of its server says why`;
