// The stored tenant record, and the one statement that changes it. A change is a merge of named fields inside Postgres,
// so a token refresh and a settings save at the same moment never overwrite each other.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { KEYS } from "../../runtime/kv.ts";
import type { Connection } from "./tenant.ts";

export type RecordChange = {
  set?: Record<string, unknown>;
  remove?: readonly string[];
  connection?: { [K in keyof Connection]?: Connection[K] | null };
  /** Apply only while this is still the token in force. */
  ifGeneration?: number;
};

/**
 * Merges the change into the record. Locks the one row for the statement; safe to repeat.
 * False when the tenant is not registered, or when `ifGeneration` no longer holds. `sql` is of the home region.
 */
export async function changeTenantRecord(
  ctx: Ctx,
  shop: string,
  change: RecordChange,
  sql: TenantSql = ctx.home.forTenant(shop).sql,
): Promise<boolean> {
  const connection = change.connection ?? {};
  const rows = await sql(
    `UPDATE kv SET
       value = (value || $3::jsonb) - $4::text[]
         || jsonb_build_object('connection', jsonb_strip_nulls(coalesce(value->'connection', '{}'::jsonb) || $5::jsonb)),
       version = version + 1, updated_at = clock_timestamp()
     WHERE shop = $1 AND key = $2 AND ($6::int IS NULL OR coalesce((value->'connection'->>'token_generation')::int, 0) = $6)
     RETURNING key`,
    [
      KEYS.tenant(shop),
      JSON.stringify(change.set ?? {}),
      change.remove ?? [],
      JSON.stringify(connection),
      change.ifGeneration ?? null,
    ],
  );
  return rows.length === 1;
}

/** Makes the tenant known; false when it already was. */
export async function registerTenant(
  ctx: Ctx,
  shop: string,
  sql: TenantSql = ctx.home.forTenant(shop).sql,
): Promise<boolean> {
  const rows = await sql(
    // Versions go on where a removed record's may have ended: what a process remembers of it is outdated by any of them.
    "INSERT INTO kv (shop, key, value, version) VALUES ($1, $2, $3::jsonb, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) ON CONFLICT (shop, key) DO NOTHING RETURNING key",
    [
      KEYS.tenant(shop),
      JSON.stringify({
        registered_at: ctx.clock.now().toISOString(),
        storefront_store_domain: shop,
      }),
    ],
  );
  if (rows.length === 1) ctx.log.done("tenant.registered", { shop });
  return rows.length === 1;
}
