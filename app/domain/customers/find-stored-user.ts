// The account of a storefront's customer, and whether it may take the customer's address.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../db.server.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { CustomerChange } from "./customer-change.ts";
import { MIRRORED, type StoredUser } from "./storefront-columns.ts";
import { hasWayIn, mustYieldAddress, yieldAddress } from "./unproven-account.ts";

/**
 * By gid first; by address only an account without another storefront customer. Locked until the
 * end of the transaction.
 */
export async function findStoredUser(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  change: CustomerChange,
): Promise<StoredUser | null> {
  const rows = await sql<StoredUser>(
    `SELECT id, email, password_hash, email_verified, federated_sub, provider, storefront_customer_gid,
      status, storefront_updated_at, language_pref, storefront_slugs, storefront_tagged_at, ${MIRRORED.join(", ")}
     FROM storefront_users WHERE shop = $1 AND (storefront_customer_gid = $2
       OR (storefront_customer_gid IS NULL AND lower(email) = $3 AND status <> 'deleted'))
     ORDER BY (storefront_customer_gid = $2) DESC NULLS LAST LIMIT 2 FOR UPDATE`,
    [change.gid, change.isLookAlike ? null : (change.email ?? null)],
    "find_stored_user",
  );
  const [user] = rows;
  if (user && user.storefront_customer_gid !== change.gid && (await mustYieldAddress(sql, user))) {
    await yieldAddress(ctx, tenant, sql, user.id);
    return null;
  }
  return user ?? null;
}

/** `other_customer`: another customer of the store has it here; two of them never have one address there. */
type AddressUse = "free" | "kept" | "other_customer";

/** Whether the account (null: a new one) may have the address that the storefront gives its customer. */
export async function checkAddress(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  {
    change,
    user,
  }: { change: Pick<CustomerChange, "email" | "isLookAlike">; user: StoredUser | null },
): Promise<AddressUse> {
  const { email = null, isLookAlike } = change;
  // An account with a password or a federated identity is found by its address, so the storefront
  // must not change it.
  if (email === null) return !user || !hasWayIn(user) ? "free" : "kept";
  const [other] = await sql<
    Pick<
      StoredUser,
      "id" | "password_hash" | "federated_sub" | "email_verified" | "storefront_customer_gid"
    >
  >(
    `SELECT id, password_hash, federated_sub, email_verified, storefront_customer_gid FROM storefront_users
     WHERE shop = $1 AND lower(email) = $2 AND id <> $3 AND status <> 'deleted' FOR UPDATE`,
    [email, user?.id ?? 0],
    "find_address_holder",
  );
  if (!other) return "free";
  if (isLookAlike) return "kept";
  if (!other.storefront_customer_gid && (await mustYieldAddress(sql, other))) {
    await yieldAddress(ctx, tenant, sql, other.id);
    return "free";
  }
  ctx.log.warn("customer.email_conflict", {
    shop: tenant.shop,
    user_id: user?.id,
    other_user_id: other.id,
  });
  return other.storefront_customer_gid ? "other_customer" : "kept";
}
