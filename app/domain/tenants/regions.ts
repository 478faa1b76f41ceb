// Regions (DECISIONS 4): DATABASE_URL is the home region `default` and has every tenant's record; a
// tenant's rows are in its region's database.
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { MigrationError } from "../../runtime/database/migrations.ts";
import { changeTenantRecord } from "./tenant-record.ts";
import { dataOf, getTenant } from "./tenant.ts";

/**
 * Tables that prevent a move while they have rows of the tenant: moving live data is the operator's
 * task.
 */
const OCCUPYING = [
  "storefront_users",
  "consent_records",
  "crm_tags",
  "integration_queue",
  "event_ledger",
  "webhook_inbox",
] as const;

export function requireRegion(ctx: Ctx, region: string): void {
  if (!ctx.regions.has(region))
    throw new AppError("unknown_region", {
      message: `No database is configured for the region ${region}: set DATABASE_URL_${region.toUpperCase().replaceAll("-", "_")}.`,
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

/** Migrates the region's database and assigns the tenant to it. Safe to repeat. */
export async function provisionRegion(
  ctx: Ctx,
  shop: string,
  region: string,
): Promise<{ tables: number }> {
  const tenant = await getTenant(ctx, shop);
  requireRegion(ctx, region);
  await migrate(ctx, region);
  if (tenant.region !== region) {
    const { sql } = dataOf(ctx, tenant);
    for (const table of OCCUPYING) {
      const [row] = await sql(`SELECT 1 FROM ${table} WHERE shop = $1 LIMIT 1`);
      if (row)
        throw new AppError("tenant_has_data", {
          message: `The store has rows in ${table} in the region ${tenant.region}. Move or remove them first.`,
        });
    }
    await changeTenantRecord(ctx, shop, { set: { region } });
    ctx.log.info("tenant.moved", { shop, region });
  }
  const [count] = await ctx.regions.get(region).acrossTenants<{ tables: number }>(
    `SELECT count(*)::int AS tables FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_name <> '_prisma_migrations'`,
  );
  return { tables: count?.tables ?? 0 };
}
