// Account deletion by its owner (write matrix "Account delete": users D, claims D, consent W, CMS
// D). With an unverified address only the sign-up's own data is deleted: the customer with the same
// address is another row.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { Columns, IntegrationQueue, TenantSql, Transaction } from "../../db.server.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { AppError } from "../../runtime/errors.ts";
import { CONSENT_TYPES, consentColumn } from "../consent/consent-types.ts";
import { recordConsent } from "../consent/record-consent.ts";
import { enqueueErased } from "../customers/customer-erased.ts";
import { markDeletedAccount } from "../customers/deleted-account.ts";
import { tombstoneOf } from "../customers/tombstones.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { emailOf, getAccount, isProven, isWaiting, type Account, type Person } from "./account.ts";
import { enqueueAccountEvent } from "./account-events.ts";
import { clearAccount, clearPurchases } from "./clear-account.ts";
import { requireRecentAuth } from "./session/recent-auth.ts";
import { epochOf } from "./links.ts";
import { enqueueMail } from "./mails.ts";
import { TypedPassword, verifyPassword } from "./password/password.ts";
import { consumeRateLimit, tryConsume } from "./rate-limits.ts";
import type { Session } from "./session/sessions.ts";
import type { Visit } from "../consent/visit.ts";

export const DeletionInput = z.object({ password: TypedPassword.optional() });

export async function deleteAccount(
  ctx: Ctx,
  tenant: Tenant,
  session: Session,
  password: string | undefined,
  visit: Visit,
): Promise<void> {
  await requireSamePerson(ctx, tenant, session, password);
  await deleteOwnAccount(ctx, tenant, session, visit);
}

/**
 * For callers that have authenticated the person. `isOwnerVerified`: the person is known to own the account's
 * address, whatever the account says. Otherwise the tombstones of an unverified account are removed when the
 * address's owner signs in.
 */
export async function deleteOwnAccount(
  ctx: Ctx,
  tenant: Tenant,
  person: Person,
  visit: Visit,
  { isOwnerVerified = false } = {},
): Promise<void> {
  const email = emailOf(person.account);
  const mayMail =
    email !== null && (await tryConsume(ctx, tenant, { account_deleted_mail_per_email: email }));
  await dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    const account = await getAccount(sql, person.account.id, { lock: true });
    // A concurrent deletion, suspension or reset ended the session of this request.
    if (
      account.status !== "active" ||
      account.password_hash !== person.account.password_hash ||
      epochOf(account) !== epochOf(person.account)
    )
      throw new AppError("unauthorized");
    if (mayMail) await enqueueMail(ctx, tenant, sql, deletionMail(ctx, tenant, account));
    await revokeAll(ctx, tenant, { sql, prisma }, account.id, visit);
    // Of the locked row: the store may have changed the address since the request began.
    await insertTombstones(ctx, sql, tenant.shop, account, {
      isOwnerVerified: isOwnerVerified || isProven(account),
    });
    await clearPurchases(sql, [account.id]);
    await clearAccount({ sql, prisma }, account.id);
    await emptyDeliveries(sql, account);
    await deleteAgentTasks(sql, account.id);
    await markDeletedAccount(ctx, sql, tenant.shop, {
      userId: account.id,
      gid: account.storefront_customer_gid,
    });
    if (!isWaiting(account)) {
      await enqueueAccountEvent(ctx, tenant, sql, "account_delete", account.id);
      await enqueueErased(ctx, tenant, sql, [account.id]);
    }
  });
  ctx.log.info("account.deleted", { shop: tenant.shop, user_id: person.account.id });
}

/** Requires the password if there is one; otherwise a token from a sign-in of the last 24 hours. */
async function requireSamePerson(
  ctx: Ctx,
  tenant: Tenant,
  session: Session,
  password: string | undefined,
): Promise<void> {
  const { account } = session;
  if (account.password_hash === "") return requireRecentAuth(ctx, session);
  if (password === undefined) throw new AppError("reauth_required");
  // Counted as a sign-in attempt, so that a stolen session cannot guess the password.
  await consumeRateLimit(ctx, tenant, { login_per_email: emailOf(account) ?? String(account.id) });
  const { isRight } = await verifyPassword(password, account.password_hash, tenant);
  if (!isRight) throw new AppError("invalid_credentials");
}

/** The address is queued encrypted: when the mail is sent, the account no longer has it. */
function deletionMail(ctx: Ctx, tenant: Tenant, account: Account) {
  const email = emailOf(account);
  const sealedTo = email ? ctx.secrets.seal(`${tenant.shop}/mail`, email) : undefined;
  return {
    template: "account_deleted" as const,
    userId: account.id,
    language: account.language_pref,
    ...(sealedTo && { sealedTo }),
  };
}

/**
 * Records the revocation of every granted consent, or of the terms when none is granted. Reads them under the
 * row's lock: the request's copy may be outdated.
 */
async function revokeAll(
  ctx: Ctx,
  tenant: Tenant,
  { sql, prisma }: Transaction,
  userId: number,
  visit: Visit,
): Promise<void> {
  const consentId = ctx.random.uuid();
  const claims = await prisma.userClaims.findFirst({ where: { user_id: userId } });
  const granted = CONSENT_TYPES.filter((type) => claims?.[consentColumn(type)]);
  const types = granted.length > 0 ? granted : (["tos"] as const);
  await recordConsent(
    sql,
    tenant,
    types.map((consentType) => ({
      userId,
      consentType,
      action: "revoked",
      method: "account_delete",
      consentId,
      userAgent: visit.userAgent,
      gpc: visit.gpc,
      timestamp: ctx.clock.now().toISOString(),
    })),
  );
}

/**
 * Keeps webhooks and syncs from restoring the customer, and lets a later redaction find the account.
 * - An account that waits for verification has no address or customer id of its own: it leaves no tombstone.
 * - An account that was never verified leaves unproven tombstones; the customer's own sign-in removes them.
 */
async function insertTombstones(
  ctx: Ctx,
  sql: TenantSql,
  shop: string,
  account: Account,
  { isOwnerVerified }: { isOwnerVerified: boolean },
): Promise<void> {
  const subjects = [
    ["gid", account.storefront_customer_gid],
    ["email", account.email],
  ] as const;
  for (const [kind, value] of subjects)
    if (value)
      await sql(
        `INSERT INTO customer_tombstones (shop, kind, subject_hmac, unproven, user_id)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (shop, kind, subject_hmac) DO UPDATE
           SET created_at = now(), unproven = customer_tombstones.unproven AND excluded.unproven,
             user_id = excluded.user_id`,
        [kind, tombstoneOf(ctx, shop, kind, value), !isOwnerVerified, account.id],
      );
}

/**
 * Messages for other systems contain personal data, and so may their responses. The events of other
 * sources name the customer by the storefront's id and hold all of the data; ours are references.
 */
export async function emptyDeliveries(
  sql: TenantSql,
  { id, storefront_customer_gid: gid }: Pick<Account, "id" | "storefront_customer_gid">,
): Promise<void> {
  const named = [String(id), ...(gid ? [gid] : [])];
  const ofPerson = "shop = $1 AND entity_type = 'customer' AND entity_id = ANY($2::text[])";
  // Read first, as a list: in a subquery the planner, which knows few rows of a store that grew since the last ANALYZE,
  // reads the person's rows again for every attempt of the store, while the store's consents wait.
  const rows = await sql<Columns<IntegrationQueue, "event_id">>(
    `SELECT DISTINCT event_id FROM integration_queue WHERE ${ofPerson}`,
    [named],
  );
  const eventIds = rows.map(({ event_id }) => event_id);
  await sql(
    `UPDATE delivery_attempts SET error = NULL WHERE shop = $1 AND error IS NOT NULL
      AND status = 'failed' AND event_id = ANY($2::text[])`,
    [eventIds],
  );
  await sql("DELETE FROM delivery_exchanges WHERE shop = $1 AND event_id = ANY($2::text[])", [
    eventIds,
  ]);
  await sql(
    `UPDATE integration_queue SET transformed_payload = NULL, last_error = NULL WHERE ${ofPerson}
      AND (transformed_payload IS NOT NULL OR last_error IS NOT NULL)`,
    [named],
  );
  if (gid)
    await sql(
      `UPDATE integration_queue SET payload = '{}' WHERE shop = $1 AND entity_type = 'customer'
        AND entity_id = $2 AND payload <> '{}'`,
      [gid],
    );
}

/** What agents asked about the person, with the answers. */
async function deleteAgentTasks(sql: TenantSql, userId: number): Promise<void> {
  await sql(
    `DELETE FROM kv WHERE shop = $1 AND left(key, 11) = '${KEYS.agentTask("")}'
      AND value->>'user_id' = $2`,
    [String(userId)],
  );
}
