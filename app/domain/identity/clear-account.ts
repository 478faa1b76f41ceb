// Removes all personal data from an account. The row stays, `deleted`, because the consent log
// refers to it.
import type { Transaction } from "../../db.server.ts";
import { END_ALL_SESSIONS } from "./session/sessions.ts";

/**
 * Empties the row and deletes claims, extras, tags, the record of agents' calls and of bulk changes. Identity links stay: a deleted
 * person is recognised by them. `cms_item_id` and `cms_hash` stay: the deletion in the CMS reads them. With
 * `mergedInto` the sessions continue as sessions of that account; without it they end. Agents' grants and mandates
 * end either way, by triggers on the row's status.
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
