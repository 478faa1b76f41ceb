// The owner's connection to a cell, for what moves do there.
import type { Ctx } from "../../../context.server.ts";
import {
  connectAsOwner,
  OwnerBehindPooler,
  type OwnerConnection,
} from "../../../runtime/database/cells/owner-connection.ts";
import { settingOf } from "../../../runtime/settings.ts";

/** A database that a move needs does not answer. */
export class CellAway extends Error {
  readonly cell: string;
  constructor(cell: string, cause: unknown) {
    super(`the database of the cell ${cell} does not answer`, { cause });
    this.cell = cell;
  }
}

/** Throws CellAway, and OwnerBehindPooler with what to set. */
export async function openCell(ctx: Ctx, cell: string): Promise<OwnerConnection> {
  try {
    return await connectAsOwner(ctx.regions.ownerUrl(cell));
  } catch (error) {
    if (error instanceof OwnerBehindPooler)
      throw new OwnerBehindPooler(
        `The address of the cell ${cell} leads to a pooler: set ${settingOf("DIRECT_DATABASE_URL", cell)} to one past it.`,
      );
    throw new CellAway(cell, error);
  }
}
