// A person deletes the own account (write matrix "Account delete": users D, claims D, consent W, CMS D). The row stays,
// empty and `deleted`, because the consent log refers to it; a tombstone keeps webhooks and syncs from bringing it back.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { AppError } from "../../runtime/errors.ts";
import { CONSENT_TYPES } from "../consent/consent-types.ts";
import { recordConsent } from "../consent/record-consent.ts";
import { tombstoneOf } from "../customers/from-storefront.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { getAccount, type Account } from "./account.ts";
import { enqueueAccountEvent } from "./account-events.ts";
import { requireFreshSignIn } from "./fresh-sign-in.ts";
import { enqueueMail } from "./mails.ts";
import { TypedPassword, verifyPassword } from "./password.ts";
import { END_ALL_SESSIONS, type Session } from "./sessions.ts";
import type { Visit } from "./sign-up.ts";

export const DeletionInput = z.object({ password: TypedPassword.optional() });

export async function deleteAccount(
  ctx: Ctx,
  tenant: Tenant,
  session: Session,
  password: string | undefined,
  visit: Visit,
): Promise<void> {
  await requireSamePerson(ctx, tenant, session, password);
  await dataOf(ctx, tenant).transaction(async (sql) => {
    const account = await getAccount(sql, session.account.id, true);
    // A second deletion, a suspension or a reset in between ended the session that asks.
    if (account.status !== "active" || account.password_hash !== session.account.password_hash)
      throw new AppError("unauthorized");
    await enqueueMail(ctx, tenant, sql, deletionMail(ctx, tenant, account));
    await revokeAll(ctx, sql, session, visit);
    await bury(ctx, sql, tenant.shop, account);
    await sql("DELETE FROM user_claims WHERE shop = $1 AND user_id = $2", [account.id]);
    await sql("DELETE FROM user_extras WHERE shop = $1 AND user_id = $2", [account.id]);
    await sql("DELETE FROM user_tag_map WHERE shop = $1 AND user_id = $2", [account.id]);
    await sql(
      `UPDATE storefront_users SET status = 'deleted', email = NULL, password_hash = '', full_name = NULL, first_name = NULL, last_name = NULL, avatar_url = NULL, phone_hash = NULL,
         federated_sub = NULL, storefront_customer_gid = NULL, tags = '[]', number_of_orders = 0, amount_spent = 0, email_subscription_status = NULL, sms_subscription_status = NULL,
         country = NULL, language_pref = NULL, email_verified = false, sessions_valid_after = ${END_ALL_SESSIONS}, updated_at = now()
       WHERE shop = $1 AND id = $2`,
      [account.id],
    );
    await emptyDeliveries(sql, account.id);
    await enqueueAccountEvent(ctx, tenant, sql, "account_delete", account.id);
  });
  ctx.log.done("account.deleted", { shop: tenant.shop, user_id: session.account.id });
}

/** The password where there is one; otherwise a token from a sign-in of the last 24 hours. */
async function requireSamePerson(
  ctx: Ctx,
  tenant: Tenant,
  session: Session,
  password: string | undefined,
): Promise<void> {
  const { account } = session;
  if (account.password_hash === "") return requireFreshSignIn(ctx, session);
  if (password === undefined) throw new AppError("reauth_required");
  const { isRight } = await verifyPassword(password, account.password_hash, tenant);
  if (!isRight) throw new AppError("invalid_credentials");
}

/** The address goes into the queue sealed: by the time the mail leaves, the account has none any more. */
function deletionMail(ctx: Ctx, tenant: Tenant, account: Account) {
  const sealedTo = account.email
    ? ctx.secrets.seal(`${tenant.shop}/mail`, account.email)
    : undefined;
  return {
    template: "account_deleted" as const,
    userId: account.id,
    language: account.language_pref,
    ...(sealedTo && { sealedTo }),
  };
}

async function revokeAll(
  ctx: Ctx,
  sql: TenantSql,
  { account, consents }: Session,
  visit: Visit,
): Promise<void> {
  const consentId = ctx.random.uuid();
  const granted = CONSENT_TYPES.filter((type) => consents[type]);
  const types = granted.length > 0 ? granted : (["tos"] as const);
  await recordConsent(
    sql,
    types.map((consentType) => ({
      userId: account.id,
      consentType,
      action: "revoked",
      method: "account_delete",
      consentId,
      userAgent: visit.userAgent,
      timestamp: ctx.clock.now().toISOString(),
    })),
  );
}

async function bury(ctx: Ctx, sql: TenantSql, shop: string, account: Account): Promise<void> {
  const subjects = [
    ["gid", account.storefront_customer_gid],
    ["email", account.email],
  ] as const;
  for (const [kind, value] of subjects)
    if (value)
      await sql(
        "INSERT INTO customer_tombstones (shop, kind, subject_hmac) VALUES ($1, $2, $3) ON CONFLICT (shop, kind, subject_hmac) DO UPDATE SET created_at = now()",
        [kind, tombstoneOf(ctx, shop, kind, value)],
      );
}

/** What was made for other systems holds the person's data, and so may what they answered. */
async function emptyDeliveries(sql: TenantSql, userId: number): Promise<void> {
  const ofPerson = "shop = $1 AND entity_type = 'customer' AND entity_id = $2";
  await sql(
    `UPDATE delivery_attempts SET error = NULL WHERE shop = $1 AND error IS NOT NULL AND event_id IN (SELECT event_id FROM integration_queue WHERE ${ofPerson})`,
    [String(userId)],
  );
  await sql(
    `UPDATE integration_queue SET transformed_payload = NULL, last_error = NULL WHERE ${ofPerson} AND (transformed_payload IS NOT NULL OR last_error IS NOT NULL)`,
    [String(userId)],
  );
}
