// An account whose e-mail address nobody has proven, and what happens when the address turns out to be a customer's.
//
// `email` holds the address of the one account that the store knows by it. When a customer of the storefront has the
// address of an unproven account, that account steps back: its address moves to `unproven_email`, and nothing of the
// customer is shown to it, pushed for it or deleted with it until the address is proven (identity/prove-address.ts).
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { getKey, KEYS } from "../../runtime/kv.ts";
import { enqueue } from "../bus/enqueue.ts";
import type { Tenant } from "../tenants/tenant.ts";

export type Unproven = {
  id: number;
  password_hash: string;
  federated_sub: string | null;
  email_verified: boolean;
};

/** Whether somebody who has not proven the address can get into the account. */
export const hasUnprovenWayIn = (account: Unproven): boolean =>
  !account.email_verified && (account.password_hash !== "" || account.federated_sub !== null);

/**
 * Whether somebody who has not proven the address can get into the account, and the storefront's customer of that address
 * is not one that this service is creating for the account at this moment.
 */
export async function mustYieldAddress(sql: TenantSql, account: Unproven): Promise<boolean> {
  if (!hasUnprovenWayIn(account)) return false;
  return (await getKey(sql, KEYS.echo(account.id))) === null;
}

/** Gives the address up to the customer it belongs to, and takes back what the CMS holds. Safe to repeat. */
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
  await enqueue(sql, {
    eventId: ctx.random.orderedUuid(),
    source: "backend",
    eventType: "customer.updated",
    entityType: "customer",
    entityId: String(userId),
    payload: { user_id: userId, cause: "address_yielded" },
    occurredAt: ctx.clock.now(),
    destinations: ctx.channels
      .filter((channel) => channel.name === "cms" && channel.isEnabled(tenant))
      .map(({ name }) => name),
  });
}
