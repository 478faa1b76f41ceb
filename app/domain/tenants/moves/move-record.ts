// Moves of stores, as rows in the home database that one worker holds at a time.
//
//   waiting -> running (lease) -> done | failed | cancelled
import type { Ctx } from "../../../context.server.ts";
import {
  isUniqueViolation,
  type Columns,
  type StoreMove,
  type TenantSql,
} from "../../../db.server.ts";
import { leasedTable, type LeasedRow } from "../../../runtime/database/queue/leased-table.ts";
import { AppError } from "../../../runtime/errors.ts";

/**
 * prepare: the target has the schema, and no row of the store.  copy: the first copy of every table.
 * catch_up: changes follow until the target is close behind.  verify, barrier: both sides are compared, the
 * store takes no writes.  clean: the store is at the target, the source's rows are deleted.  undo: the target's
 * rows are deleted, the store stays.
 */
export type MoveStep = "prepare" | "copy" | "catch_up" | "verify" | "barrier" | "clean" | "undo";
type MoveState = "waiting" | "running" | "done" | "failed" | "cancelled";

export type MoveProgress = {
  tables?: number;
  tables_copied?: number;
  lag_bytes?: number | null;
  rows?: number;
  /** Whether the source had rows before the target was prepared. */
  had_rows?: boolean;
  rows_deleted?: number;
  /** How often the barrier was opened again, and why at last. */
  barriers?: number;
  waits_for?: string | null;
  /** How long the store's writes were refused at the flip. */
  refused_ms?: number;
  /** The state in which a move that is undone ends. */
  ends_as?: "failed" | "cancelled";
};

export type MoveRow = Columns<
  StoreMove,
  "id" | "from_cell" | "to_cell" | "step" | "progress" | "attempts" | "error"
> & { step: MoveStep; progress: MoveProgress };
export type Move = MoveRow & { shop: string; token: string };

export const storeMoves = leasedTable<LeasedRow & MoveRow>({
  table: "store_moves",
  idType: "uuid",
  stateColumn: "state",
  waiting: "waiting",
  running: "running",
  orderBy: "next_attempt_at",
  leaseSeconds: 10,
  columns: ["from_cell", "to_cell", "step", "progress", "attempts", "error"],
  isOfHeldStores: true,
});

/** The home database, where the record of every move is. */
export const homeSql = (ctx: Ctx, { shop }: Pick<Move, "shop">): TenantSql =>
  ctx.home.forTenant(shop).sql;

export async function isCancelRequested(ctx: Ctx, move: Move): Promise<boolean> {
  const sql = homeSql(ctx, move);
  const [row] = await sql<{ is_cancel_requested: boolean }>(
    "SELECT is_cancel_requested FROM store_moves WHERE shop = $1 AND id = $2",
    [move.id],
  );
  return row?.is_cancel_requested ?? true;
}

const OPEN: MoveState[] = ["waiting", "running"];

export async function insertMove(
  ctx: Ctx,
  shop: string,
  { from, to }: { from: string; to: string },
): Promise<string> {
  const id = ctx.random.orderedUuid();
  try {
    await ctx.home
      .forTenant(shop)
      .prisma.storeMove.create({ data: { shop, id, from_cell: from, to_cell: to } });
  } catch (error) {
    if (isUniqueViolation(error)) throw await inProgress(ctx, shop);
    throw error;
  }
  ctx.log.info("store_move.requested", { shop, move_id: id, from, to });
  return id;
}

async function inProgress(ctx: Ctx, shop: string): Promise<AppError> {
  const open = await findOpenMove(ctx, shop);
  return new AppError("move_in_progress", { details: { move_id: open?.id ?? null } });
}

/** Throws `move_in_progress`. */
export async function requireNoMove(ctx: Ctx, shop: string): Promise<void> {
  if (await findOpenMove(ctx, shop)) throw await inProgress(ctx, shop);
}

export const findOpenMove = (ctx: Ctx, shop: string): Promise<StoreMove | null> =>
  ctx.home.forTenant(shop).prisma.storeMove.findFirst({ where: { state: { in: OPEN } } });

export type MoveView = {
  id: string;
  shop: string;
  from: string;
  to: string;
  state: MoveState;
  step: MoveStep | "done";
  progress: Omit<MoveProgress, "ends_as" | "had_rows">;
  error: string | null;
  created_at: string;
  finished_at: string | null;
};

function toMoveView(row: StoreMove): MoveView {
  const { ends_as: _, had_rows: __, ...progress } = row.progress as MoveProgress;
  return {
    id: row.id,
    shop: row.shop,
    from: row.from_cell,
    to: row.to_cell,
    state: row.state as MoveState,
    step: row.state === "done" ? "done" : (row.step as MoveStep),
    progress,
    error: row.error,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

type Listed = Omit<StoreMove, "progress"> & { progress: MoveProgress };

/** The newest moves of all stores, at most `limit`; with `id`, that one. */
export async function listMoves(
  ctx: Ctx,
  { id = null, limit }: { id?: string | null; limit: number },
): Promise<MoveView[]> {
  const rows = await ctx.home.acrossTenants<Listed>(
    `SELECT * FROM store_moves WHERE ($1::uuid IS NULL OR id = $1)
      ORDER BY (state IN ('waiting', 'running')) DESC, created_at DESC LIMIT $2`,
    [id, limit],
  );
  return rows.map((row) => toMoveView(row as StoreMove));
}

export type MoveCount = { step: MoveStep; count: number; lag_bytes: number; age_seconds: number };

/** The moves that have not ended, of all stores, by their step. The index of open moves has them all. */
export const countMoves = (ctx: Ctx): Promise<MoveCount[]> =>
  ctx.home.acrossTenants<MoveCount>(
    `SELECT step, count(*)::int AS count,
       coalesce(max((progress->>'lag_bytes')::numeric), 0)::bigint AS lag_bytes,
       extract(epoch FROM clock_timestamp() - min(created_at))::int AS age_seconds
     FROM store_moves WHERE state IN ('waiting', 'running') GROUP BY step`,
  );

/** Throws `not_found`. */
export async function getMove(ctx: Ctx, id: string): Promise<MoveView> {
  const [move] = await listMoves(ctx, { id, limit: 1 });
  if (!move) throw new AppError("not_found", { message: "There is no such move." });
  return move;
}

/** The worker undoes the move at its next look. Throws `not_found`, and `move_finished` once it is too late. */
export async function cancelMove(ctx: Ctx, id: string): Promise<MoveView> {
  const { shop } = await getMove(ctx, id);
  const rows = await ctx.home.forTenant(shop).sql(
    `UPDATE store_moves SET is_cancel_requested = true, next_attempt_at = clock_timestamp()
      WHERE shop = $1 AND id = $2 AND state IN ('waiting', 'running') AND step <> 'clean' RETURNING 1`,
    [id],
  );
  if (rows.length === 0) throw new AppError("move_finished");
  return getMove(ctx, id);
}
