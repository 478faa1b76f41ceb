// The stored tenant record, and the one statement that changes it. A change merges named fields inside
// Postgres, so a concurrent token refresh and settings save never overwrite each other.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { isSealed, type Secrets } from "../../runtime/secrets.ts";
import type { Connection } from "./tenant.ts";

export type TenantRecord = Record<string, unknown> & {
  registered_at: string;
  connection?: Connection;
};

export type RecordChange = {
  set?: Record<string, unknown>;
  remove?: readonly string[];
  connection?: { [K in keyof Connection]?: Connection[K] | null };
  /** Apply only while this is still the current token. */
  ifGeneration?: number;
  /** Apply only while the record has this version. */
  ifVersion?: number;
};

/** The fields of the app's access to the store, which end together. */
export const ACCESS_TOKEN_FIELDS = [
  "storefront_admin_token",
  "storefront_refresh_token",
  "storefront_token_expires_at",
] as const;

/**
 * Forgets what the service has written into the store: an uninstall deletes it there, and a new token may belong
 * to another installation. It is written again after the next connection.
 */
export const FORGET_WRITTEN_VALUES = {
  loader_metafield: null,
  footer_metafield: null,
  held_metafield: null,
  web_pixel: null,
} as const satisfies RecordChange["connection"];

/**
 * Merges the change into the record. Locks the one row for the statement; safe to repeat. False when
 * the tenant is not registered, or when `ifGeneration` or `ifVersion` is outdated. `sql` belongs to the
 * home region.
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
         || jsonb_build_object('connection', jsonb_strip_nulls(coalesce(value->'connection',
           '{}'::jsonb) || $5::jsonb)),
       version = version + 1, updated_at = clock_timestamp()
     WHERE shop = $1 AND key = $2 AND ($6::int IS NULL
       OR coalesce((value->'connection'->>'token_generation')::int, 0) = $6)
       AND ($7::bigint IS NULL OR version = $7)
     RETURNING key`,
    [
      KEYS.tenant(shop),
      JSON.stringify(change.set ?? {}),
      change.remove ?? [],
      JSON.stringify(connection),
      change.ifGeneration ?? null,
      change.ifVersion ?? null,
    ],
  );
  return rows.length === 1;
}

/** Registers the tenant; false when it already was. */
export async function registerTenant(
  ctx: Ctx,
  shop: string,
  sql: TenantSql = ctx.home.forTenant(shop).sql,
): Promise<boolean> {
  const rows = await sql(
    // Versions continue after a deleted record's last possible one, so that any cached copy of it is
    // outdated.
    `INSERT INTO kv (shop, key, value, version) VALUES ($1, $2, $3::jsonb, (extract(epoch
      FROM clock_timestamp()) * 1000)::bigint) ON CONFLICT (shop, key) DO NOTHING RETURNING key`,
    [
      KEYS.tenant(shop),
      JSON.stringify({
        registered_at: ctx.clock.now().toISOString(),
        storefront_store_domain: shop,
      }),
    ],
  );
  if (rows.length === 1) ctx.log.info("tenant.registered", { shop });
  return rows.length === 1;
}

/** The named fields of a stored record, sealed ones opened. */
export function openFields(
  secrets: Secrets,
  place: string,
  record: Record<string, unknown>,
  names: readonly string[],
): Record<string, unknown> {
  const open: Record<string, unknown> = {};
  for (const name of names) {
    const value = record[name];
    if (value !== undefined)
      open[name] = isSealed(value) ? secrets.unseal(`${place}/${name}`, value) : value;
  }
  return open;
}
