// Customers that the storefront deleted or merged (DECISIONS 9).
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { enqueue } from "../bus/enqueue.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { tombstoneOf } from "./from-storefront.ts";
import { giveCustomerItsOwnAccount } from "./storefront-person.ts";
import { hasUnprovenWayIn, type Unproven } from "./unproven-account.ts";
import { channelsFor } from "./write-matrix.ts";

/** The stone knows the account: a redaction that comes later often names nothing but the gid. */
async function bury(ctx: Ctx, sql: TenantSql, shop: string, gid: string): Promise<void> {
  await sql(
    `INSERT INTO customer_tombstones (shop, kind, subject_hmac, user_id) SELECT $1, 'gid', $2, (SELECT id FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = $3)
     ON CONFLICT (shop, kind, subject_hmac) DO UPDATE SET user_id = coalesce(customer_tombstones.user_id, excluded.user_id)`,
    [tombstoneOf(ctx, shop, "gid", gid), gid],
  );
}

type Left = { id: number; status: string };

/** The other systems hear of it by the write matrix: of an ended account as of any that is deleted. */
async function tell(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  accounts: readonly Left[],
): Promise<void> {
  for (const { id, status } of accounts) {
    const isEnded = status === "deleted";
    await enqueue(sql, {
      eventId: ctx.random.orderedUuid(),
      source: "storefront",
      eventType: isEnded ? "customer.deleted" : "customer.updated",
      entityType: "customer",
      entityId: String(id),
      payload: { user_id: id, cause: isEnded ? "account_delete" : "storefront_webhook" },
      occurredAt: ctx.clock.now(),
      destinations: channelsFor(
        isEnded ? "account_delete" : "storefront_webhook",
        tenant,
        ctx.channels,
      ),
    });
  }
}

/** The gid goes, for good; an account with no other way to sign in becomes `deleted`. Safe to repeat. */
export async function forgetStorefrontCustomer(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
): Promise<void> {
  await dataOf(ctx, tenant).transaction(async (sql) => {
    await bury(ctx, sql, tenant.shop, gid);
    const left = await sql<Left>(
      `UPDATE storefront_users SET storefront_customer_gid = NULL, storefront_slugs = '[]', storefront_hash = NULL, updated_at = now(),
         status = CASE WHEN password_hash = '' AND federated_sub IS NULL THEN 'deleted' ELSE status END,
         sessions_valid_after = CASE WHEN password_hash = '' AND federated_sub IS NULL THEN now() ELSE sessions_valid_after END
       WHERE shop = $1 AND storefront_customer_gid = $2 RETURNING id, status`,
      [gid],
    );
    await tell(ctx, tenant, sql, left);
  });
}

/**
 * The account of the merged customer gives its gid and its sync over to the kept one: where the kept customer has no
 * account yet, this account becomes its; otherwise it goes on without the storefront. Safe to repeat.
 */
export async function mergeStorefrontCustomers(
  ctx: Ctx,
  tenant: Tenant,
  keptGid: string,
  deletedGid: string,
): Promise<void> {
  await dataOf(ctx, tenant).transaction(async (sql) => {
    await bury(ctx, sql, tenant.shop, deletedGid);
    const [kept] = await sql<{ id: number }>(
      "SELECT id FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = $2 FOR UPDATE",
      [keptGid],
    );
    if (!kept) {
      const moved = await sql<Left & Unproven>(
        "UPDATE storefront_users SET storefront_customer_gid = $2, storefront_updated_at = NULL, storefront_slugs = '[]', storefront_hash = NULL, updated_at = now() WHERE shop = $1 AND storefront_customer_gid = $3 RETURNING id, status, password_hash, federated_sub, email_verified",
        [keptGid, deletedGid],
      );
      await tell(ctx, tenant, sql, moved);
      for (const account of moved)
        if (hasUnprovenWayIn(account))
          await giveCustomerItsOwnAccount(ctx, tenant, sql, account.id);
      return;
    }
    const left = await sql<Left>(
      `UPDATE storefront_users SET storefront_customer_gid = NULL, storefront_slugs = '[]', storefront_hash = NULL, updated_at = now(),
         status = CASE WHEN password_hash = '' AND federated_sub IS NULL THEN 'deleted' ELSE status END
       WHERE shop = $1 AND storefront_customer_gid = $2 RETURNING id, status`,
      [deletedGid],
    );
    await tell(ctx, tenant, sql, left);
  });
}
