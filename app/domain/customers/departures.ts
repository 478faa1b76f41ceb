// Customers that the storefront deleted or merged (DECISIONS 9).
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { tombstoneOf } from "./from-storefront.ts";

/** The stone knows the account: a redaction that comes later often names nothing but the gid. */
async function bury(ctx: Ctx, sql: TenantSql, shop: string, gid: string): Promise<void> {
  await sql(
    `INSERT INTO customer_tombstones (shop, kind, subject_hmac, user_id) SELECT $1, 'gid', $2, (SELECT id FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = $3)
     ON CONFLICT (shop, kind, subject_hmac) DO UPDATE SET user_id = coalesce(customer_tombstones.user_id, excluded.user_id)`,
    [tombstoneOf(ctx, shop, "gid", gid), gid],
  );
}

/** The gid goes, for good; an account with no other way to sign in becomes `deleted`. Safe to repeat. */
export async function forgetStorefrontCustomer(ctx: Ctx, tenant: Tenant, gid: string): Promise<void> {
  await dataOf(ctx, tenant).transaction(async (sql) => {
    await bury(ctx, sql, tenant.shop, gid);
    await sql(
      `UPDATE storefront_users SET storefront_customer_gid = NULL, storefront_slugs = '[]', storefront_hash = NULL, updated_at = now(),
         status = CASE WHEN password_hash = '' AND federated_sub IS NULL THEN 'deleted' ELSE status END,
         sessions_valid_after = CASE WHEN password_hash = '' AND federated_sub IS NULL THEN now() ELSE sessions_valid_after END
       WHERE shop = $1 AND storefront_customer_gid = $2`,
      [gid],
    );
  });
}

/**
 * The account of the merged customer gives its gid and its sync over to the kept one: where the kept customer has no
 * account yet, this account becomes its; otherwise it goes on without the storefront. Safe to repeat.
 */
export async function mergeStorefrontCustomers(ctx: Ctx, tenant: Tenant, keptGid: string, deletedGid: string): Promise<void> {
  await dataOf(ctx, tenant).transaction(async (sql) => {
    await bury(ctx, sql, tenant.shop, deletedGid);
    const [kept] = await sql<{ id: number }>("SELECT id FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = $2 FOR UPDATE", [keptGid]);
    if (!kept) {
      await sql("UPDATE storefront_users SET storefront_customer_gid = $2, storefront_updated_at = NULL, storefront_slugs = '[]', storefront_hash = NULL, updated_at = now() WHERE shop = $1 AND storefront_customer_gid = $3", [keptGid, deletedGid]);
      return;
    }
    await sql(
      `UPDATE storefront_users SET storefront_customer_gid = NULL, storefront_slugs = '[]', storefront_hash = NULL, updated_at = now(),
         status = CASE WHEN password_hash = '' AND federated_sub IS NULL THEN 'deleted' ELSE status END
       WHERE shop = $1 AND storefront_customer_gid = $2`,
      [deletedGid],
    );
  });
}
