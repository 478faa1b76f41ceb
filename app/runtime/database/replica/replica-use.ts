// Whether reads go to the replica now: it is left alone for a while after it was behind or did not serve. Counts
// who served the reads, and logs when that changes.
import type { Log } from "../../log.ts";
import { replicaReads } from "../../telemetry/metrics.ts";

/** How long the replica is left alone after it was behind, or did not serve. */
const PAUSE_MS = { behind: 1_000, away: 5_000, unfit: 30_000 };
const MAX_PAUSE_MS = 60_000;
/** A problem that comes back within this time is not logged again. */
const LOG_AGAIN_MS = 60_000;

export type ReplicaProblem = keyof typeof PAUSE_MS;

/** Longer with each time in a row that the replica did not answer: finding that out takes somebody's read seconds. */
export const pauseMs = (problem: ReplicaProblem, timesInARow: number): number =>
  problem === "away"
    ? Math.min(PAUSE_MS.away * 2 ** (timesInARow - 1), MAX_PAUSE_MS)
    : PAUSE_MS[problem];

export type ReplicaUse = {
  isPaused(): boolean;
  /** A read failed on the replica. */
  pause(problem: ReplicaProblem, reason: string): void;
  /** The replica served a read. */
  succeeded(): void;
  /** The primary serves a read. */
  leftToPrimary(): void;
};

export function createReplicaUse(region: string, log: Log): ReplicaUse {
  let pausedUntil = -Infinity;
  let logged: ReplicaProblem | null = null;
  let failedAt = -Infinity;
  let timesInARow = 0;

  function pause(next: ReplicaProblem, reason: string): void {
    failedAt = performance.now();
    // Reads that failed together count once.
    if (failedAt >= pausedUntil) timesInARow += 1;
    pausedUntil = failedAt + pauseMs(next, timesInARow);
    if (logged === next) return;
    logged = next;
    log.warn("database.replica_not_used", { region, problem: next, reason });
  }

  function succeeded(): void {
    timesInARow = 0;
    replicaReads.inc({ region, served_by: "replica" });
    if (logged === null || performance.now() - failedAt < LOG_AGAIN_MS) return;
    logged = null;
    log.info("database.replica_used", { region });
  }

  return {
    isPaused: () => performance.now() < pausedUntil,
    pause,
    succeeded,
    leftToPrimary: () => replicaReads.inc({ region, served_by: "primary" }),
  };
}
