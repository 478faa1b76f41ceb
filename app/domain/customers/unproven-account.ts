// An account with an unverified email address, and what happens when the address belongs to a customer.
// `email` identifies at most one account of the store. When a storefront customer has the address
// of an unverified account, the address of that account moves to `unproven_email`; until it is
// verified (identity/prove-address.ts), the account cannot read, change or delete anything of the
// customer.
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser, TenantSql } from "../../db.server.ts";
import { findKey } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { keepEnabled } from "../bus/channel.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { enqueueCustomerEvent } from "./enqueue-customer-event.ts";

export type Unproven = Columns<
  StorefrontUser,
  "id" | "password_hash" | "federated_sub" | "email_verified"
>;

/** Whether somebody can sign in here without the storefront. */
export const hasWayIn = (account: Pick<Unproven, "password_hash" | "federated_sub">): boolean =>
  account.password_hash !== "" || account.federated_sub !== null;

/** Whether the account has a way to sign in that does not prove the address. */
export const hasUnprovenWayIn = (account: Unproven): boolean =>
  !account.email_verified && hasWayIn(account);

/**
 * Whether the account has a way to sign in that does not prove the address, and the storefront's
 * customer of that address is not one that this service is creating for the account right now.
 */
export async function mustYieldAddress(sql: TenantSql, account: Unproven): Promise<boolean> {
  if (!hasUnprovenWayIn(account)) return false;
  return (await findKey(sql, KEYS.echo(account.id))) === null;
}

/** Gives the address up to its customer, and removes the account's CMS item. Safe to repeat. */
export async function yieldAddress(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
): Promise<void> {
  await sql(
    `UPDATE storefront_users SET unproven_email = email, email = NULL, updated_at = now()
     WHERE shop = $1 AND id = $2 AND email IS NOT NULL`,
    [userId],
  );
  await enqueueCustomerEvent(ctx, sql, userId, {
    source: "backend",
    eventType: "customer.updated",
    cause: "address_yielded",
    destinations: keepEnabled(ctx, tenant, ["cms"]),
  });
}
