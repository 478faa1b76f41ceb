// The account of a customer whom the storefront authenticated: the app proxy signs the id of the
// signed-in customer. This service creates a storefront customer for each sign-up, also with an
// unverified address. When somebody signs in at the storefront as that customer, the account here
// may belong to a stranger. The customer then gets a new account, and the sign-up waits until the
// address is verified (identity/prove-address.ts).
import type { Ctx } from "../../context.server.ts";
import type { StorefrontUser, TenantSql, Transaction } from "../../db.server.ts";
import { moveStorefrontTags } from "../tags/storefront-tags.ts";
import { updateSystemTags } from "../tags/system-tags.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { channelsFor } from "../inventory/write-matrix.ts";
import { enqueueCustomerEvent } from "./enqueue-customer-event.ts";
import { hasUnprovenWayIn, yieldAddress, type Unproven } from "./unproven-account.ts";

/** Returns the account's id; null for a customer without an account here. */
export async function findStorefrontPerson(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
): Promise<number | null> {
  const data = dataOf(ctx, tenant);
  const found = await findByGid(data.sql, gid);
  if (!found || !hasUnprovenWayIn(found)) return found?.id ?? null;
  return data.transaction(async (sql, prisma) => {
    const locked = await findByGid(sql, gid, { lock: true });
    if (!locked || !hasUnprovenWayIn(locked)) return locked?.id ?? null;
    return giveCustomerItsOwnAccount(ctx, tenant, { sql, prisma }, locked.id);
  });
}

async function findByGid(
  sql: TenantSql,
  gid: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<Unproven | undefined> {
  const [account] = await sql<Unproven>(
    `SELECT id, password_hash, federated_sub, email_verified FROM storefront_users
     WHERE shop = $1 AND storefront_customer_gid = $2 AND status = 'active' ${lock ? "FOR UPDATE" : ""}`,
    [gid],
  );
  return account;
}

/** What the storefront says of its customer. */
const MOVED = {
  email: true,
  storefront_customer_gid: true,
  storefront_updated_at: true,
  storefront_slugs: true,
  storefront_tagged_at: true,
  phone_hash: true,
  country: true,
  tags: true,
  number_of_orders: true,
  amount_spent: true,
  email_subscription_status: true,
  sms_subscription_status: true,
  storefront_created_at: true,
  last_active_at: true,
} as const;

/** The same of the sign-up, which then waits with its address. */
const LEFT_BEHIND = {
  storefront_customer_gid: null,
  storefront_updated_at: null,
  storefront_slugs: [],
  storefront_tagged_at: null,
  phone_hash: null,
  country: null,
  tags: [],
  number_of_orders: 0,
  amount_spent: 0,
  email_subscription_status: null,
  sms_subscription_status: null,
  storefront_created_at: null,
  last_active_at: null,
  storefront_hash: null,
  storefront_name_hash: null,
} satisfies Partial<Record<keyof StorefrontUser, unknown>> &
  Record<Exclude<keyof typeof MOVED, "email">, unknown>;

/**
 * The storefront's data moves to the new account; what was entered at the sign-up stays with the
 * sign-up.
 */
export async function giveCustomerItsOwnAccount(
  ctx: Ctx,
  tenant: Tenant,
  { sql, prisma }: Transaction,
  userId: number,
): Promise<number> {
  const customer = await prisma.storefrontUser.findFirst({ select: MOVED, where: { id: userId } });
  if (!customer) throw new Error("the customer's account is gone");
  await yieldAddress(ctx, tenant, sql, userId);
  await prisma.storefrontUser.updateMany({ where: { id: userId }, data: LEFT_BEHIND });
  const own = await prisma.storefrontUser.create({
    select: { id: true },
    data: {
      ...customer,
      shop: tenant.shop,
      provider: "storefront",
      tags: customer.tags as string[],
      // With the sign-up's tags that were written there: the channel removes them, and a webhook that
      // still lists them does not make them the merchant's.
      storefront_slugs: customer.storefront_slugs as string[],
    },
  });
  await prisma.userExtras.create({ data: { shop: tenant.shop, user_id: own.id } });
  await moveStorefrontTags(sql, userId, own.id);
  await updateSystemTags(ctx, tenant, sql, [userId, own.id], { announce: "storefront" });
  await enqueueCustomerEvent(ctx, sql, own.id, {
    source: "storefront",
    eventType: "customer.updated",
    cause: "storefront_webhook",
    destinations: channelsFor("storefront_webhook", tenant, ctx.channels),
  });
  ctx.log.info("customer.separated", { shop: tenant.shop, user_id: own.id, sign_up_id: userId });
  return own.id;
}

// The map and not the list: the list also has the merchant's tags of that customer that are not ours.
const KEEP_OWN_TAGS = `
  UPDATE storefront_users u SET tags = coalesce((SELECT jsonb_agg(t.slug ORDER BY m.id)
      FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
      WHERE m.shop = u.shop AND m.user_id = u.id), '[]')
  WHERE u.shop = $1 AND u.id = $2`;

/** The account continues without its customer, and without the data that the storefront sent of them. */
export async function leaveCustomer({ sql, prisma }: Transaction, userId: number): Promise<void> {
  await prisma.userTagMap.deleteMany({ where: { user_id: userId, source: "storefront" } });
  await prisma.storefrontUser.updateMany({ where: { id: userId }, data: LEFT_BEHIND });
  await sql(KEEP_OWN_TAGS, [userId]);
}
