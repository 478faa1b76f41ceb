// Customers that the storefront deleted or merged (DECISIONS 9).
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser, TenantSql, Transaction } from "../../db.server.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { enqueueCustomerEvent } from "./enqueue-customer-event.ts";
import { awaitDeletions, findDeletion, tombstoneOf } from "./tombstones.ts";
import { giveCustomerItsOwnAccount } from "./storefront-person.ts";
import { hasUnprovenWayIn, type Unproven } from "./unproven-account.ts";
import { channelsFor } from "../inventory/write-matrix.ts";

/**
 * The tombstone keeps the account's id: a later redaction often names only the gid. Waits for
 * transactions that are about to create the customer's account.
 */
async function insertTombstone(ctx: Ctx, sql: TenantSql, shop: string, gid: string): Promise<void> {
  await sql(
    `SELECT pg_advisory_xact_lock(hashtextextended(shop || ' ' || $2, 0))
      FROM (SELECT $1::text AS shop) AS named WHERE shop = $1`,
    [gid],
  );
  await sql(
    `INSERT INTO customer_tombstones (shop, kind, subject_hmac, user_id)
      SELECT $1, 'gid', $2, (SELECT id FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = $3)
     ON CONFLICT (shop, kind, subject_hmac) DO UPDATE
       SET unproven = false,
         user_id = coalesce(customer_tombstones.user_id, excluded.user_id)`,
    [tombstoneOf(ctx, shop, "gid", gid), gid],
  );
}

/** Without a password and a provider nobody can sign in: the sign-in at the storefront ended with its customer. */
const HAS_NO_WAY_IN = "(password_hash = '' AND federated_sub IS NULL)";

type AffectedAccount = Columns<StorefrontUser, "id" | "status">;

/** The other systems are informed by the write matrix, as for any deleted account. */
async function enqueueAffectedAccounts(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  accounts: readonly AffectedAccount[],
): Promise<void> {
  for (const { id, status } of accounts) {
    const isEnded = status === "deleted";
    const cause = isEnded ? "account_delete" : "storefront_webhook";
    await enqueueCustomerEvent(ctx, sql, id, {
      source: "storefront",
      eventType: isEnded ? "customer.deleted" : "customer.updated",
      cause,
      destinations: channelsFor(cause, tenant, ctx.channels),
    });
  }
}

/**
 * Removes the gid permanently; an account without another way to sign in becomes `deleted`. Safe to
 * repeat.
 */
export async function forgetStorefrontCustomer(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
): Promise<void> {
  await dataOf(ctx, tenant).transaction(async (sql) => {
    await insertTombstone(ctx, sql, tenant.shop, gid);
    const left = await sql<AffectedAccount>(
      `UPDATE storefront_users SET storefront_customer_gid = NULL, storefront_slugs = '[]',
        storefront_hash = NULL, storefront_name_hash = NULL, updated_at = now(),
         status = CASE WHEN ${HAS_NO_WAY_IN} THEN 'deleted' ELSE status END,
         sessions_valid_after = CASE WHEN ${HAS_NO_WAY_IN} THEN now()
           ELSE sessions_valid_after END
       WHERE shop = $1 AND storefront_customer_gid = $2 RETURNING id, status`,
      [gid],
    );
    await enqueueAffectedAccounts(ctx, tenant, sql, left);
  });
}

/**
 * The account of the kept customer, locked; null without one. The webhook of the kept one's own end may have come
 * first: then the account that it had, which may be unknown. Waits for transactions that delete it.
 */
async function findKept(
  ctx: Ctx,
  sql: TenantSql,
  shop: string,
  gid: string,
): Promise<{ userId: number | null } | null> {
  await awaitDeletions(sql, [gid]);
  const deletion = await findDeletion(ctx, sql, shop, gid);
  if (deletion) return { userId: deletion.user_id };
  const [kept] = await sql<Columns<StorefrontUser, "id">>(
    "SELECT id FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = $2 FOR UPDATE",
    [gid],
  );
  return kept ? { userId: kept.id } : null;
}

/**
 * Moves the gid and the sync of the merged customer's account to the kept customer. Without an
 * account of the kept customer, this account becomes its account; otherwise, and where the kept customer is gone
 * too, it continues without the storefront. Safe to repeat.
 */
export async function mergeStorefrontCustomers(
  ctx: Ctx,
  tenant: Tenant,
  keptGid: string,
  deletedGid: string,
): Promise<void> {
  await dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    await insertTombstone(ctx, sql, tenant.shop, deletedGid);
    const kept = await findKept(ctx, sql, tenant.shop, keptGid);
    if (kept) await unlinkMerged(ctx, tenant, sql, { deletedGid, keptUserId: kept.userId });
    else await moveToKept(ctx, tenant, { sql, prisma }, { deletedGid, keptGid });
  });
}

async function moveToKept(
  ctx: Ctx,
  tenant: Tenant,
  { sql, prisma }: Transaction,
  { deletedGid, keptGid }: { deletedGid: string; keptGid: string },
): Promise<void> {
  const moved = await sql<AffectedAccount & Unproven>(
    `UPDATE storefront_users SET storefront_customer_gid = $2, storefront_updated_at = NULL,
      storefront_slugs = '[]', storefront_hash = NULL, storefront_name_hash = NULL, updated_at = now() WHERE shop = $1
      AND storefront_customer_gid = $3 RETURNING id, status, password_hash, federated_sub, email_verified`,
    [keptGid, deletedGid],
  );
  await enqueueAffectedAccounts(ctx, tenant, sql, moved);
  for (const account of moved)
    if (hasUnprovenWayIn(account))
      await giveCustomerItsOwnAccount(ctx, tenant, { sql, prisma }, account.id);
}

/**
 * An account that ends stays linked: the store will ask for the erasure of the kept customer only. Its sessions
 * end, also one that is being made: as a merged one's they would be sessions of the kept account.
 */
async function unlinkMerged(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  { deletedGid, keptUserId }: { deletedGid: string; keptUserId: number | null },
): Promise<void> {
  const left = await sql<AffectedAccount>(
    `UPDATE storefront_users SET storefront_customer_gid = NULL, storefront_slugs = '[]',
      storefront_hash = NULL, storefront_name_hash = NULL, updated_at = now(),
       status = CASE WHEN ${HAS_NO_WAY_IN} THEN 'deleted' ELSE status END,
       merged_into = CASE WHEN ${HAS_NO_WAY_IN} AND id <> $3 THEN $3 ELSE merged_into END,
       sessions_valid_after = CASE WHEN ${HAS_NO_WAY_IN} THEN now() + interval '1 minute'
         ELSE sessions_valid_after END
     WHERE shop = $1 AND storefront_customer_gid = $2 RETURNING id, status`,
    [deletedGid, keptUserId],
  );
  await enqueueAffectedAccounts(ctx, tenant, sql, left);
}
