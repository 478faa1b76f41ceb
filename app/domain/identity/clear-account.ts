// Removes all personal data from an account. The row stays, `deleted`, because the consent log
// refers to it.
import type { TenantSql, Transaction } from "../../db.server.ts";
import { END_ALL_SESSIONS } from "./session/sessions.ts";

/**
 * Empties the row and deletes claims, extras, tags, and the records of agents' calls and of bulk changes.
 * Identity links stay: a deleted person is recognised by them. `cms_item_id` and `cms_hash` stay: the deletion
 * in the CMS reads them. With `mergedInto` the sessions continue as sessions of that account; without it they
 * end. Agents' grants and mandates end either way, by triggers on the row's status.
 */
export async function clearAccount(
  { sql, prisma }: Transaction,
  userId: number,
  mergedInto: number | null = null,
): Promise<void> {
  const where = { user_id: userId };
  await prisma.userClaims.deleteMany({ where });
  await prisma.userExtras.deleteMany({ where });
  await prisma.userTagMap.deleteMany({ where });
  await prisma.tagRunMember.deleteMany({ where });
  await sql(
    `UPDATE storefront_users SET
       status = 'deleted', email = NULL, unproven_email = NULL, password_hash = '',
       full_name = NULL, first_name = NULL, last_name = NULL, avatar_url = NULL, phone_hash = NULL,
       federated_sub = NULL, storefront_customer_gid = NULL,
       tags = '[]', number_of_orders = 0, amount_spent = 0,
       email_subscription_status = NULL, sms_subscription_status = NULL,
       storefront_created_at = NULL, storefront_updated_at = NULL, storefront_hash = NULL,
       storefront_name_hash = NULL,
       storefront_slugs = '[]', storefront_tagged_at = NULL,
       last_login_at = NULL, last_active_at = NULL, tags_due_at = NULL,
       country = NULL, language_pref = NULL, email_verified = false, merged_into = $3,
       sessions_valid_after = CASE WHEN $3::int IS NULL THEN ${END_ALL_SESSIONS} ELSE sessions_valid_after END,
       updated_at = now()
     WHERE shop = $1 AND id = $2`,
    [userId, mergedInto],
  );
  // Last: what is recorded at this moment waits for the row above.
  await prisma.agentActivity.deleteMany({ where });
  await prisma.tagRunRefusal.deleteMany({ where });
}

/** A mandate past its expiry reads as expired already: it does not become `revoked`. */
const IS_USABLE_MANDATE = "(status = 'active' AND expires_at > clock_timestamp())";

// A draft order keeps its id until the scheduled run has taken it from the merchant's list.
const CLEAR_CHECKOUTS = `
  UPDATE checkout_sessions SET checkout_url = NULL, order_id = NULL, ap2_checkout = NULL, discounts = NULL,
    delivery = NULL, cart_id = NULL, orders = NULL, replaced_carts = NULL, reserved_amount = 0,
    external_id = CASE WHEN source = 'draft_order' AND status <> 'completed' THEN external_id END,
    status = CASE WHEN status = 'completed' THEN status ELSE 'canceled' END
  WHERE shop = $1 AND customer_id = ANY($2::int[]) AND (checkout_url IS NOT NULL
    OR external_id IS NOT NULL OR order_id IS NOT NULL OR ap2_checkout IS NOT NULL
    OR discounts IS NOT NULL OR delivery IS NOT NULL OR orders IS NOT NULL
    OR replaced_carts IS NOT NULL OR status NOT IN ('completed', 'canceled'))
  RETURNING 1`;

// What orders owe is spent: nothing holds the rest any more.
const END_MANDATES = `
  UPDATE mandates SET status = CASE WHEN ${IS_USABLE_MANDATE} THEN 'revoked' ELSE status END,
    reserved_amount = 0, reservations = 0, owed_amount = 0,
    spent_amount = least(max_amount, spent_amount + owed_amount)
  WHERE shop = $1 AND customer_id = ANY($2::int[])
    AND (${IS_USABLE_MANDATE} OR reservations > 0 OR owed_amount > 0)
  RETURNING 1`;

const CLEAR_RETURNS = `
  UPDATE return_cases SET user_id = NULL, order_id = NULL, updated_at = now()
  WHERE shop = $1 AND user_id = ANY($2::int[]) RETURNING 1`;

/**
 * Cancels open checkouts, ends mandates, and removes from checkouts and returns which orders they became.
 * Call it before the row becomes `deleted`, whose trigger locks the mandates: an order locks its checkout first.
 */
export async function clearPurchases(sql: TenantSql, userIds: readonly number[]) {
  const change = async (statement: string) => (await sql(statement, [userIds])).length;
  return {
    checkout_sessions: await change(CLEAR_CHECKOUTS),
    mandates: await change(END_MANDATES),
    return_cases: await change(CLEAR_RETURNS),
  };
}
