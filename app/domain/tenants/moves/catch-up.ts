// From the end of the first copy to the flip: the target follows closely, both sides are compared, and within
// the barrier the store's record changes its cell.
import { setTimeout as pause } from "node:timers/promises";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import {
  connectAsOwner,
  type OwnerConnection,
} from "../../../runtime/database/cells/owner-connection.ts";
import { HOME_REGION } from "../../../runtime/settings.ts";
import { changeTenantRecord } from "../tenant-record.ts";
import {
  BARRIER_MS,
  closeBarrier,
  countInFlight,
  hasMark,
  holdLeaving,
  openBarrier,
  putGuards,
  removeHold,
  sealBarrier,
  sendMark,
} from "./barrier.ts";
import {
  findDifferences,
  readFingerprints,
  rowsOf,
  withinBudget,
  type Fingerprints,
} from "./fingerprint.ts";
import { storeMoves, type Move } from "./move-record.ts";
import { areSequencesBeyond, raiseSequences } from "./moved-tables.ts";
import { readCopyState, replicationName } from "./replication.ts";
import { MoveFailed, type MoveRun } from "./move-run.ts";

/**
 * The target is close enough behind to hold the store's queues when a mark takes at most this long to arrive, and
 * to close the barrier when, with the queues held, it takes at most this long.
 */
const CLOSE_MS = { hold: 2_000, barrier: 250 };
const MARKS_BEFORE_BARRIER = 10;
const CHECK_BUDGET_MS = 300;
/** How much of the barrier's time is kept for its seal. */
const SEAL_MS = 150;
const POLL_MS = 5;
/** Deliveries end within their own timeouts; other work is safe to repeat, and is waited for a little. */
const DRAIN_MS = { deliveries: 40_000, others: 2_000 };
const BACKOFF_MS = { first: 100, longest: 5_000 };

/** Tries until the store is flipped, with longer and longer pauses. */
export async function catchUp(run: MoveRun): Promise<void> {
  const progress: Progress = { isVerified: false, barriers: run.move.progress.barriers ?? 0 };
  let waitMs = BACKOFF_MS.first;
  for (;;) {
    await run.check();
    const isClose = (await followClosely(run)) <= CLOSE_MS.hold;
    const round = isClose ? await tryRound(run, progress) : "retry";
    if (round === "flipped") return;
    if (round === "verified") waitMs = BACKOFF_MS.first;
    await pause(waitMs);
    waitMs = Math.min(waitMs * 2, BACKOFF_MS.longest);
  }
}

type Progress = {
  /** Whether the snapshots of a large store were compared (`verifySnapshots`): once is enough. */
  isVerified: boolean;
  barriers: number;
};

/** One round, for a target that is close behind: a comparison of snapshots, or a try of the barrier. */
async function tryRound(
  run: MoveRun,
  progress: Progress,
): Promise<"flipped" | "verified" | "retry"> {
  const { move, source, target, tables } = run;
  const budgetMs = run.options.checkBudgetMs ?? CHECK_BUDGET_MS;
  const measured = await readFingerprints(source, tables, move.shop);
  const totalMs = [...measured.values()].reduce((sum, { ms }) => sum + ms, 0);
  const isQuick = totalMs <= budgetMs;
  requireRows(move, measured);
  await run.report({ rows: rowsOf(measured), waits_for: null });
  await putGuards(source, tables, move.shop, move.id);
  if (!isQuick && !progress.isVerified) {
    progress.isVerified = await verifySnapshots(run);
    return progress.isVerified ? "verified" : "retry";
  }
  const outcome = await tryFlip(run, measured, isQuick ? Infinity : budgetMs);
  if (outcome === "flipped") return "flipped";
  if (outcome === "sequences") await raiseSequences(source, target, tables);
  progress.barriers += 1;
  await run.enter("catch_up", { barriers: progress.barriers, waits_for: WAITS[outcome] });
  return "retry";
}

type Outcome = "flipped" | "busy" | "deliveries" | "lag" | "sequences" | "slow";
const WAITS: Record<Exclude<Outcome, "flipped">, string> = {
  busy: "a long write of the store",
  deliveries: "deliveries of the store that are under way",
  lag: "the target, which is not close enough behind",
  sequences: "the target's sequences",
  slow: "a moment at which both databases are quick enough",
};

/**
 * Waits until the target has what the source has now, at most `limitMs`; how long that took, in
 * milliseconds.
 */
async function followClosely(run: MoveRun, limitMs = Infinity): Promise<number> {
  const { ctx, move, source, target } = run;
  const mark = ctx.random.uuid();
  await sendMark(source, move.shop, mark);
  const started = performance.now();
  for (let looks = 1; !(await hasMark(target, move.shop, mark)); looks += 1) {
    if (looks % 40 === 0) {
      const state = await readCopyState(source, target, replicationName(move.id));
      run.applyFailures.observe(state.errors);
      const waitsFor = run.applyFailures.waitsFor();
      await run.report({ lag_bytes: state.lagBytes, ...(waitsFor && { waits_for: waitsFor }) });
    }
    if (performance.now() - started > limitMs) return Infinity;
    await run.check();
    await pause(POLL_MS * (looks > 100 ? 20 : 1));
  }
  run.applyFailures.forget();
  return performance.now() - started;
}

/** Whether the target is close enough for the barrier; the queues are held meanwhile. */
async function isClose(run: MoveRun): Promise<boolean> {
  for (let marks = 0; marks < MARKS_BEFORE_BARRIER; marks += 1)
    if ((await followClosely(run, CLOSE_MS.hold)) <= CLOSE_MS.barrier) return true;
  return false;
}

/** Holds the store's queues until nothing of it is in flight. False when that does not end: they run again. */
async function drain(run: MoveRun): Promise<boolean> {
  const { move, source } = run;
  await holdLeaving(source, move.shop, move.id);
  const started = performance.now();
  for (;;) {
    const { deliveries, others } = await countInFlight(source, move.shop);
    const waitedMs = performance.now() - started;
    if (deliveries === 0 && (others === 0 || waitedMs > DRAIN_MS.others)) return true;
    if (waitedMs > DRAIN_MS.deliveries) return false;
    await run.check();
    await pause(POLL_MS);
  }
}

async function reopen({ source, move }: MoveRun): Promise<void> {
  await openBarrier(source, move.shop);
  await removeHold(source, move.shop);
}

/** Within the barrier: the target has everything. False when it does not get there in time. */
async function arrives(run: MoveRun, mark: string, closedAt: number): Promise<boolean> {
  while (!(await hasMark(run.target, run.move.shop, mark))) {
    if (performance.now() - closedAt > BARRIER_MS - 2 * SEAL_MS) return false;
    await pause(POLL_MS);
  }
  return true;
}

/**
 * For a store that is too large to be compared within the barrier: a barrier of its own, of an instant, makes a
 * pair of snapshots of one state, which are compared while the store is in use. False when the barrier could not
 * be used. Throws MoveFailed for a difference.
 */
async function verifySnapshots(run: MoveRun): Promise<boolean> {
  const { ctx, move } = run;
  await run.enter("verify");
  const snapshots: OwnerConnection[] = [];
  try {
    for (const cell of [move.from_cell, move.to_cell])
      snapshots.push(await connectAsOwner(ctx.regions.ownerUrl(cell)));
    const [ours, theirs] = snapshots as [OwnerConnection, OwnerConnection];
    if (!(await beginPair(run, snapshots))) return false;
    for (const table of run.tables) {
      await run.check();
      const [left, right] = await Promise.all([
        readFingerprints(ours, [table], move.shop),
        readFingerprints(theirs, [table], move.shop),
      ]);
      requireEqual(left, right);
    }
    return true;
  } finally {
    await Promise.all(snapshots.map((snapshot) => snapshot.close()));
  }
}

/** Within a barrier. Whether both snapshots are of one state. */
async function beginPair(run: MoveRun, snapshots: readonly OwnerConnection[]): Promise<boolean> {
  const { ctx, move, source } = run;
  const mark = ctx.random.uuid();
  try {
    if (!(await drain(run)) || !(await isClose(run))) return false;
    const closedAt = performance.now();
    if ((await closeBarrier(source, move.shop, mark)) !== "closed") return false;
    if (!(await arrives(run, mark, closedAt))) return false;
    for (const snapshot of snapshots) {
      await snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      await snapshot.query("SELECT 1 FROM kv LIMIT 1");
    }
    return await sealBarrier(source, move.shop);
  } finally {
    await reopen(run);
  }
}

/** Two empty sides are equal too: a store that had rows has not lost all of them by itself. */
function requireRows({ progress }: Move, prints: Fingerprints): void {
  if (progress.had_rows && rowsOf(prints) === 0)
    throw new MoveFailed(
      "The source has no rows of the store any more, and had some when the move began: nothing is deleted there.",
    );
}

function requireEqual(source: Fingerprints, target: Fingerprints): void {
  const differences = findDifferences(source, target);
  if (differences.length > 0)
    throw new MoveFailed(`The copy differs from the source. ${differences.join("; ")}.`);
}

/** The barrier. Unless the store is flipped, it is open again afterwards. */
async function tryFlip(run: MoveRun, measured: Fingerprints, budgetMs: number): Promise<Outcome> {
  const { ctx, move, source, target } = run;
  await run.enter("barrier");
  let isFlipping = false;
  try {
    if (!(await drain(run))) return "deliveries";
    if (!(await isClose(run))) return "lag";
    await run.check();
    const mark = ctx.random.uuid();
    const closedAt = performance.now();
    const closed = await closeBarrier(source, move.shop, mark);
    if (closed !== "closed") return closed;
    if (!(await arrives(run, mark, closedAt))) return "lag";
    const tables = withinBudget(run.tables, measured, budgetMs);
    const [left, right] = await Promise.all([
      readFingerprints(source, tables, move.shop),
      readFingerprints(target, tables, move.shop),
    ]);
    requireEqual(left, right);
    if (tables.length === run.tables.length) requireRows(move, left);
    if (!(await areSequencesBeyond(source, target, run.tables))) return "sequences";
    if (!(await sealBarrier(source, move.shop))) return "slow";
    // From here on only the home database knows whether the store has moved: the barrier stays sealed until
    // that is known.
    isFlipping = true;
    await run.options.reached?.("sealed", move);
    await flip(run, Math.round(performance.now() - closedAt));
    return "flipped";
  } catch (error) {
    if (isFlipping && error instanceof MoveFailed) isFlipping = false;
    throw error;
  } finally {
    if (!isFlipping) await reopen(run);
  }
}

/** One transaction at home: the store's record and the move's step. Throws MoveFailed, LeaseLost. */
async function flip(run: MoveRun, refusedMs: number): Promise<void> {
  const { ctx, move } = run;
  const progress = { ...move.progress, refused_ms: refusedMs, waits_for: null };
  await ctx.home.forTenant(move.shop).transaction(async (sql) => {
    const [record] = await sql<{ region: string }>(
      "SELECT coalesce(value->>'region', $3) AS region FROM kv WHERE shop = $1 AND key = $2 FOR UPDATE",
      [KEYS.tenant(move.shop), HOME_REGION],
    );
    if (record?.region !== move.from_cell)
      throw new MoveFailed("The store was deleted or moved meanwhile.");
    await changeTenantRecord(ctx, move.shop, { set: { region: move.to_cell } }, sql);
    await storeMoves.update(sql, move, "step = 'clean', attempts = 0, progress = $4::jsonb", [
      JSON.stringify(progress),
    ]);
  });
  Object.assign(move, { step: "clean", progress });
  await run.options.reached?.("clean", move);
}
