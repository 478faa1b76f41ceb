// Consents that count once the owner of the address has opened a mailed link and confirmed.
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser, TenantSql } from "../../../db.server.ts";
import { findKey, putKey, takeKey } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { AppError } from "../../../runtime/errors.ts";
import { isChannelEnabled } from "../../bus/channel.ts";
import { enqueue } from "../../bus/enqueue.ts";
import { normaliseMailbox } from "../../tenants/mailbox.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import type { Submission } from "../consent-input.ts";
import { outcomesOf, type ConsentOutcome } from "../consent-outcomes.ts";
import { ADDRESS_CONSENT_TYPES } from "../consent-types.ts";
import { writeConsentsWithin, type Recorded } from "../write/write-consents.ts";

/**
 * The submission behind the mailed link. `email_hmac` identifies the address that it was mailed to.
 */
type Pending = { user_id: number; submission: Submission; email_hmac: string };

type WaitingConsent = { userId: number; submission: Submission };

/**
 * Mails a link by which a customer grants the consent; nothing is granted here. Throws
 * `setting_missing` in a store that sends no mails.
 */
export async function enqueueConsentRequest(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  waiting: WaitingConsent,
): Promise<void> {
  if (!isChannelEnabled(ctx, tenant, "email"))
    throw new AppError("setting_missing", { message: "The store has no sender of emails." });
  await enqueueConsentMail(ctx, sql, "request_consent", waiting);
}

/** Mails a link by which the owner of the address confirms the consent; nothing in a store that sends no mails. */
export async function enqueueConfirmation(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  waiting: WaitingConsent,
): Promise<void> {
  if (isChannelEnabled(ctx, tenant, "email"))
    await enqueueConsentMail(ctx, sql, "confirm_consent", waiting);
}

async function enqueueConsentMail(
  ctx: Ctx,
  sql: TenantSql,
  template: "confirm_consent" | "request_consent",
  { userId, submission }: WaitingConsent,
): Promise<void> {
  await enqueue(sql, {
    eventId: ctx.random.uuid(),
    source: "backend",
    eventType: `mail.${template}`,
    entityType: "customer",
    entityId: String(userId),
    payload: { user_id: userId, template, submission },
    occurredAt: ctx.clock.now(),
    destinations: ["email"],
    priority: 2,
  });
}

/** Returns the token of a link that applies the submission once, within 24 hours. */
export async function createConsentLink(
  ctx: Ctx,
  sql: TenantSql,
  pending: Pending,
): Promise<string> {
  const token = ctx.random.bytes(32).toString("base64url");
  await putKey(sql, KEYS.consentLink(hash("sha256", token)), pending, TTL_SECONDS.consentLink);
  return token;
}

type AddressFlags = Partial<Record<(typeof ADDRESS_CONSENT_TYPES)[number], boolean>>;

async function readPending(ctx: Ctx, tenant: Tenant, token: string): Promise<Pending | null> {
  const { sql } = dataOf(ctx, tenant);
  return (await findKey<Pending>(sql, KEYS.consentLink(hash("sha256", token))))?.value ?? null;
}

export type PendingChoice = {
  /** The outcome of each consent after the confirmation. */
  consents: Partial<Record<keyof AddressFlags, ConsentOutcome>>;
  formType: string | null;
  /** The store asked for it: the customer has not chosen yet. */
  isAsked: boolean;
};

/** The method of consents that were granted by the link of a request. */
export const REQUEST_METHOD = "flow_request";

/** What the page behind the link shows before the confirmation; null when the link is invalid. */
export async function findPendingChoice(
  ctx: Ctx,
  tenant: Tenant,
  token: string,
): Promise<PendingChoice | null> {
  const pending = await readPending(ctx, tenant, token);
  if (!pending) return null;
  const { flags, formType, method } = pending.submission;
  const { sql } = dataOf(ctx, tenant);
  return {
    consents: await outcomesOf(sql, pending.user_id, addressFlags(flags)),
    formType,
    isAsked: method === REQUEST_METHOD,
  };
}

const addressFlags = (flags: Submission["flags"]): AddressFlags =>
  Object.fromEntries(
    ADDRESS_CONSENT_TYPES.flatMap((type) =>
      flags[type] === undefined ? [] : [[type, flags[type]]],
    ),
  );

// Verifies the address of a contact without any sign-in method. It verifies no other account: an
// attacker may have created it and would then own a verified account. Nor one whose address a sign-up
// waits for: that may be a stranger, who must prove the address by another link.
const CONFIRM = `
  UPDATE storefront_users SET email_verified = email_verified OR (password_hash = ''
    AND federated_sub IS NULL AND last_login_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM storefront_users waiting WHERE waiting.shop = $1
        AND lower(waiting.unproven_email) = lower(storefront_users.email)))
  WHERE shop = $1 AND id = $2 AND status = 'active' AND email IS NOT NULL RETURNING id, email`;

/** The owner of the address confirms: now the flags change. Throws `invalid_link`. */
export async function confirmConsent(ctx: Ctx, tenant: Tenant, token: string): Promise<Recorded[]> {
  const confirmed = await dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    const pending = await takeKey<Pending>(sql, KEYS.consentLink(hash("sha256", token)));
    const [user] = pending
      ? await sql<Columns<StorefrontUser, "id" | "email"> & { email: string }>(CONFIRM, [
          pending.user_id,
        ])
      : [];
    // The address may have changed since: the old mailbox does not prove the new one.
    if (!pending || !user || normaliseMailbox(ctx, tenant.shop, user.email) !== pending.email_hmac)
      throw new AppError("invalid_link");
    // Also where the address stays unverified: what its owner has confirmed must reach the systems.
    await prisma.userExtras.updateMany({
      where: { user_id: user.id, is_contact: true },
      data: { is_contact: false },
    });
    const submission = {
      ...pending.submission,
      flags: addressFlags(pending.submission.flags),
      consentId: `${pending.submission.consentId}:confirmed`,
    };
    const subject = { userId: user.id };
    const { recorded } = await writeConsentsWithin(ctx, tenant, sql, { subject, submission });
    return { ...subject, recorded };
  });
  ctx.log.info("consent.confirmed", {
    shop: tenant.shop,
    user_id: confirmed.userId,
    rows: confirmed.recorded.length,
  });
  return confirmed.recorded;
}
