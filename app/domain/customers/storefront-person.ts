// The account of a customer whom the storefront vouches for: the app proxy signed the id of who is signed in there.
//
// This service creates a storefront customer for each sign-up, also when the address is not proven. When somebody signs in
// at the storefront as that customer, the account here may belong to a stranger. The customer then gets an account of its
// own, and the sign-up waits until the address is proven (identity/prove-address.ts).
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { channelsFor } from "./write-matrix.ts";
import { enqueue } from "../bus/enqueue.ts";
import { hasUnprovenWayIn, yieldAddress, type Unproven } from "./unproven-account.ts";

/** Its id; null for a customer who has not arrived here yet. */
export async function findStorefrontPerson(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
): Promise<number | null> {
  const { sql, transaction } = dataOf(ctx, tenant);
  const found = await findByGid(sql, gid);
  if (!found || !hasUnprovenWayIn(found)) return found?.id ?? null;
  return transaction(async (tx) => {
    const locked = await findByGid(tx, gid, true);
    if (!locked || !hasUnprovenWayIn(locked)) return locked?.id ?? null;
    return giveCustomerItsOwnAccount(ctx, tenant, tx, locked.id);
  });
}

async function findByGid(
  sql: TenantSql,
  gid: string,
  isLocked = false,
): Promise<Unproven | undefined> {
  const [account] = await sql<Unproven>(
    `SELECT id, password_hash, federated_sub, email_verified FROM storefront_users
     WHERE shop = $1 AND storefront_customer_gid = $2 AND status = 'active' ${isLocked ? "FOR UPDATE" : ""}`,
    [gid],
  );
  return account;
}

/** What the storefront told goes along; what was typed at the sign-up stays with the sign-up. */
export async function giveCustomerItsOwnAccount(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
): Promise<number> {
  const [customer] = await sql<Record<string, unknown>>(
    `SELECT email, storefront_customer_gid, storefront_updated_at, phone_hash, country, tags, number_of_orders,
       amount_spent, email_subscription_status, sms_subscription_status
     FROM storefront_users WHERE shop = $1 AND id = $2`,
    [userId],
  );
  await yieldAddress(ctx, tenant, sql, userId);
  await sql(
    `UPDATE storefront_users SET storefront_customer_gid = NULL, storefront_hash = NULL, storefront_slugs = '[]',
       storefront_updated_at = NULL, storefront_tagged_at = NULL, phone_hash = NULL, country = NULL, tags = '[]',
       number_of_orders = 0, amount_spent = 0, email_subscription_status = NULL, sms_subscription_status = NULL
     WHERE shop = $1 AND id = $2`,
    [userId],
  );
  const [own] = await sql<{ id: number }>(
    `INSERT INTO storefront_users (shop, provider, email, storefront_customer_gid, storefront_updated_at, phone_hash, country,
       tags, number_of_orders, amount_spent, email_subscription_status, sms_subscription_status)
     SELECT $1, 'storefront', email, storefront_customer_gid, storefront_updated_at, phone_hash, country, tags, number_of_orders,
       amount_spent, email_subscription_status, sms_subscription_status
     FROM jsonb_to_record($2::jsonb) AS customer(email text, storefront_customer_gid text, storefront_updated_at timestamptz,
       phone_hash text, country text, tags jsonb, number_of_orders int, amount_spent float8, email_subscription_status text,
       sms_subscription_status text)
     RETURNING id`,
    [JSON.stringify(customer)],
  );
  if (!own) throw new Error("the customer's account was not stored");
  await sql("INSERT INTO user_extras (shop, user_id) VALUES ($1, $2)", [own.id]);
  await enqueue(sql, {
    eventId: ctx.random.orderedUuid(),
    source: "storefront",
    eventType: "customer.updated",
    entityType: "customer",
    entityId: String(own.id),
    payload: { user_id: own.id, cause: "storefront_webhook" },
    occurredAt: ctx.clock.now(),
    destinations: channelsFor("storefront_webhook", tenant, ctx.channels),
  });
  ctx.log.done("customer.separated", { shop: tenant.shop, user_id: own.id, sign_up_id: userId });
  return own.id;
}
