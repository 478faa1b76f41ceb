// The operator's side of a move: begins it once both databases can do it.
import type { Ctx } from "../../../context.server.ts";
import {
  OwnerBehindPooler,
  type OwnerConnection,
} from "../../../runtime/database/cells/owner-connection.ts";
import { AppError } from "../../../runtime/errors.ts";
import { requireRegion } from "../provision-region.ts";
import { getTenant } from "../tenant.ts";
import { getMove, insertMove, requireNoMove, type MoveView } from "./move-record.ts";
import { CellAway, openCell } from "./open-cell.ts";
import { findMissing } from "./prerequisites.ts";

/**
 * Throws `unknown_tenant`, `unknown_region`, `move_in_progress`, `move_not_possible` with everything that is
 * missing, and `database_unavailable`.
 */
export async function requestMove(ctx: Ctx, shop: string, to: string): Promise<MoveView> {
  const { region: from } = await getTenant(ctx, shop);
  requireRegion(ctx, to);
  requireRegion(ctx, from);
  await requireNoMove(ctx, shop);
  if (from === to)
    throw new AppError("move_not_possible", { message: `The store is in the cell ${to} already.` });
  const missing = await check(ctx, { from, to });
  if (missing.length > 0)
    throw new AppError("move_not_possible", {
      message: `The store cannot be moved yet. ${missing.join(" ")}`,
      details: { missing },
    });
  return getMove(ctx, await insertMove(ctx, shop, { from, to }));
}

async function check(ctx: Ctx, cells: { from: string; to: string }): Promise<string[]> {
  const opened: OwnerConnection[] = [];
  try {
    for (const cell of [cells.from, cells.to]) opened.push(await openCell(ctx, cell));
    const [source, target] = opened as [OwnerConnection, OwnerConnection];
    const sourceUrl = ctx.regions.ownerUrl(cells.from);
    return await findMissing(source, target, { ...cells, sourceUrl });
  } catch (error) {
    if (error instanceof OwnerBehindPooler) return [error.message];
    if (error instanceof CellAway)
      throw new AppError("database_unavailable", {
        message: `The database of the cell ${error.cell} does not answer.`,
      });
    throw error;
  } finally {
    await Promise.all(opened.map((connection) => connection.close()));
  }
}
