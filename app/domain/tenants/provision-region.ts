// Regions (DECISIONS 4): DATABASE_URL is the home region `default` and has every tenant's record; a
// tenant's rows are in its region's database.
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { OwnerBehindPooler } from "../../runtime/database/cells/owner-connection.ts";
import type { Database, Row } from "../../runtime/database/database.ts";
import { MigrationError } from "../../runtime/database/migrations/migration-error.ts";
import { settingOf } from "../../runtime/settings.ts";
import { assignStore } from "./moves/assign-store.ts";
import { CellAway, openCell } from "./moves/open-cell.ts";
import { requireNoMove } from "./moves/move-record.ts";
import { getTenant } from "./tenant.ts";

export function requireRegion(ctx: Ctx, region: string): void {
  if (!ctx.regions.has(region))
    throw new AppError("unknown_region", {
      message: `No database is configured for the region ${region}: set ${settingOf("DATABASE_URL", region)}.`,
    });
}

/**
 * Throws `database_unavailable` with the operator's remedy: the address, the role, or the schema is
 * wrong.
 */
async function migrate(ctx: Ctx, region: string): Promise<void> {
  try {
    await ctx.regions.migrate(region);
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    throw new AppError("database_unavailable", { message: `Region ${region}: ${error.message}` });
  }
}

/**
 * Migrates the region's database and assigns the tenant to it. Safe to repeat. Throws `tenant_has_data` for a
 * store with rows, which only a move takes along (moves/), and `move_not_possible` with what is missing. Returns the number of tables there.
 */
export async function provisionRegion(ctx: Ctx, shop: string, region: string): Promise<number> {
  const tenant = await getTenant(ctx, shop);
  requireRegion(ctx, region);
  await requireNoMove(ctx, shop);
  await migrate(ctx, region);
  if (tenant.region !== region) {
    const table = await assignStore(ctx, tenant, region);
    if (table)
      throw new AppError("tenant_has_data", {
        message: `The store has rows in ${table}. POST /admin/move-tenant moves them.`,
      });
    ctx.log.info("tenant.moved", { shop, region });
  }
  return countTables(ctx, region);
}

/** The size of the whole database in bytes, also of what is not ours. */
export async function readCellSize(database: Database): Promise<number> {
  const [row] = await database.acrossTenants<{ bytes: number }>(
    "SELECT pg_database_size(current_database()) AS bytes",
  );
  return row?.bytes ?? 0;
}

const COUNT_TABLES = `
  SELECT count(*)::int AS tables FROM information_schema.tables
  WHERE table_schema = current_schema() AND table_name <> '_prisma_migrations'`;

/** Throws `database_unavailable`. */
export async function countTables(ctx: Ctx, region: string): Promise<number> {
  const rows = ctx.regions.serves(region)
    ? await ctx.regions.get(region).acrossTenants<{ tables: number }>(COUNT_TABLES)
    : await askAsOwner<{ tables: number }>(ctx, region, COUNT_TABLES);
  return rows[0]?.tables ?? 0;
}

/** Asks a cell that this process does not serve and has no pool for. */
async function askAsOwner<R extends Row>(ctx: Ctx, cell: string, text: string): Promise<R[]> {
  try {
    const connection = await openCell(ctx, cell);
    try {
      return await connection.query<R>(text);
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (!(error instanceof CellAway || error instanceof OwnerBehindPooler)) throw error;
    throw new AppError("database_unavailable", { message: `Region ${cell}: ${error.message}.` });
  }
}
