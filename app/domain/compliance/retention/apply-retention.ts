// Applies a store's retention (inventory/retention-settings.ts), once a day and at once after a
// setting changed. Rows and objects separately: an unreachable archive keeps no row.
import type { Ctx } from "../../../context.server.ts";
import { PLATFORM, type Database, type TenantSql } from "../../../db.server.ts";
import { findKey, putKey } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import {
  DEFAULT_RETENTION,
  retentionSettingNames,
  type RetentionDays,
} from "../../inventory/retention-settings.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { deleteOldObjects } from "./old-objects.ts";
import { deleteOldRows } from "./old-rows.ts";

type Counts = Record<string, number>;

export const retentionOf = ({ config }: Pick<Tenant, "config">): RetentionDays =>
  Object.fromEntries(retentionSettingNames.map((name) => [name, config[name]])) as RetentionDays;

/** Null when there is nothing to do. */
export async function applyRowRetention(
  ctx: Ctx,
  tenant: Tenant,
  signal: AbortSignal,
): Promise<Counts | null> {
  const days = retentionOf(tenant);
  return onceADay(dataOf(ctx, tenant).sql, "rows", days, signal, () =>
    deleteOldRows(ctx.regions.get(tenant.region), tenant.shop, days, signal),
  );
}

/** Null when there is nothing to do. Throws when the archive is not reached. */
export async function applyArchiveRetention(
  ctx: Ctx,
  tenant: Tenant,
  signal: AbortSignal,
  archive: Ctx["archive"] = ctx.archive,
): Promise<Counts | null> {
  const days = retentionOf(tenant);
  return onceADay(dataOf(ctx, tenant).sql, "archive", days, signal, () =>
    deleteOldObjects(ctx, tenant, archive.ofStore(tenant.shop), { days, signal }),
  );
}

/** The rows of no store: the requests to delete a whole store outlive it. */
export async function applyPlatformRetention(
  database: Database,
  signal: AbortSignal,
): Promise<number> {
  const deleted = await onceADay(
    database.forTenant(PLATFORM).sql,
    "rows",
    DEFAULT_RETENTION,
    signal,
    () => deleteOldRows(database, PLATFORM, DEFAULT_RETENTION, signal),
  );
  return Object.values(deleted ?? {}).reduce((sum, rows) => sum + rows, 0);
}

/** A stopped pass is not recorded: the next run continues. */
async function onceADay(
  sql: TenantSql,
  kind: "rows" | "archive",
  days: RetentionDays,
  signal: AbortSignal,
  work: () => Promise<Counts>,
): Promise<Counts | null> {
  const key = KEYS.retention(kind);
  const applied = (await findKey<RetentionDays>(sql, key))?.value;
  if (applied && retentionSettingNames.every((name) => applied[name] === days[name])) return null;
  const deleted = await work();
  if (!signal.aborted) await putKey(sql, key, days, TTL_SECONDS.retention);
  return deleted;
}
