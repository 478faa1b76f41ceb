// `POST /auth/consent-sync` (DECISIONS 7): who is asking decides what may change.
//   a signed-in person        flags and log
//   a browser without e-mail  log, under its visitor id
//   a browser with an e-mail  the form's row; flags only after the owner of the address confirms by a mailed link
import { hash } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser, TenantSql, Transaction } from "../../db.server.ts";
import {
  findKey,
  KEYS,
  putKey,
  putKeyIfAbsent,
  takeKey,
  TTL_SECONDS,
} from "../../runtime/database/kv.ts";
import { AppError } from "../../runtime/errors.ts";
import { isChannelEnabled } from "../bus/channel.ts";
import { enqueue } from "../bus/enqueue.ts";
import { normaliseMailbox } from "../tenants/mailbox.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { toSubmission, type ConsentSyncInput, type Submission } from "./consent-input.ts";
import { findPolicyHash } from "./policies.ts";
import { outcomesOf, type ConsentOutcome } from "./consent-outcomes.ts";
import { ADDRESS_CONSENT_TYPES } from "./consent-types.ts";
import type { Visit } from "./visit.ts";
import {
  writeConsents,
  writeConsentsWithin,
  type Recorded,
  type Written,
} from "./write/write-consents.ts";

export type SyncedConsent = {
  consent_id: string;
  recorded: Recorded[];
  /** Grants that waited while the person refused elsewhere: the refusal holds. */
  ignored?: string[];
  pending_confirmation: boolean;
};

/** The submission with the current policy: read before the transaction that writes it. */
export async function readSubmission(
  ctx: Ctx,
  tenant: Tenant,
  input: ConsentSyncInput,
  visit: Visit,
): Promise<Submission> {
  const consentVersion = input.consent_version ?? tenant.config.consent_policy_version ?? null;
  const policyHash = await findPolicyHash(
    dataOf(ctx, tenant).sql,
    consentVersion,
    tenant.config.locale,
  );
  return toSubmission(input, {
    ...visit,
    consentId: ctx.random.uuid(),
    consentVersion,
    policyHash,
  });
}

export async function syncConsentOfUser(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  input: ConsentSyncInput,
  visit: Visit,
): Promise<SyncedConsent> {
  const submission = await readSubmission(ctx, tenant, input, visit);
  const written = await writeConsents(ctx, tenant, { userId }, submission);
  return reportConsent(ctx, tenant, submission, written, userId);
}

/** Logs what was recorded, and returns it as the caller's answer. */
export function reportConsent(
  ctx: Ctx,
  { shop }: Tenant,
  { method, consentId }: Submission,
  { recorded, ignored }: Written,
  userId?: number,
): SyncedConsent {
  ctx.log.info("consent.recorded", {
    shop,
    ...(userId !== undefined && { user_id: userId }),
    method,
    rows: recorded.length,
    ...(ignored.length > 0 && { ignored }),
  });
  return {
    consent_id: consentId,
    recorded,
    ...(ignored.length > 0 && { ignored }),
    pending_confirmation: false,
  };
}

export async function syncConsentOfVisitor(
  ctx: Ctx,
  tenant: Tenant,
  input: ConsentSyncInput,
  visit: Visit,
): Promise<SyncedConsent> {
  const submission = await readSubmission(ctx, tenant, input, visit);
  const written = await writeConsents(
    ctx,
    tenant,
    { visitorId: input.visitor_id ?? submission.consentId },
    submission,
  );
  return reportConsent(ctx, tenant, submission, written);
}

/**
 * The submission behind the mailed link. `email_hmac` identifies the address that it was mailed to.
 */
type Pending = { user_id: number; submission: Submission; email_hmac: string };

/**
 * Parts of later subjects, passed in; `mayMail` counts one mail to the address against its limit.
 */
type AddressRules = {
  findOrCreateContact(shop: string, tx: Transaction, email: string): Promise<number>;
  mayMail(): Promise<boolean>;
};

/** The same response whether the address is known or not, and whether a mail is sent or not. */
export async function syncConsentOfAddress(
  ctx: Ctx,
  tenant: Tenant,
  email: string,
  input: ConsentSyncInput,
  visit: Visit,
  { findOrCreateContact, mayMail }: AddressRules,
): Promise<SyncedConsent> {
  const submission = await readSubmission(ctx, tenant, input, visit);
  const { sql, transaction } = dataOf(ctx, tenant);
  const userId = await transaction((tx, prisma) =>
    findOrCreateContact(tenant.shop, { sql: tx, prisma }, email),
  );
  const form = { ...submission, flags: {}, gpc: false };
  const { recorded } = submission.formType
    ? await writeConsents(
        ctx,
        tenant,
        { visitorId: input.visitor_id ?? submission.consentId },
        form,
      )
    : { recorded: [] };
  const asked = KEYS.consentAsked(hash("sha256", `${userId}/${submission.consentId}`));
  // A retry of the same submission sends no second mail and counts none. Marker and mail commit
  // together: the marker alone would lose the mail.
  const mailed = !(await findKey(sql, asked)) && (await mayMail());
  if (mailed)
    await transaction(async (tx) => {
      if (await putKeyIfAbsent(tx, asked, true, TTL_SECONDS.consentLink))
        // The decision is made when its owner confirms it, however long the form waited.
        await enqueueConfirmation(ctx, tenant, tx, userId, {
          ...submission,
          waitedSeconds: undefined,
        });
    });
  ctx.log.info("consent.confirmation_asked", {
    shop: tenant.shop,
    user_id: userId,
    method: submission.method,
    mailed,
  });
  return { consent_id: submission.consentId, recorded, pending_confirmation: true };
}

/**
 * Mails a link by which a customer grants the consent; nothing is granted here. Throws
 * `setting_missing` in a store that sends no mails.
 */
export async function enqueueConsentRequest(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
  submission: Submission,
): Promise<void> {
  if (!isChannelEnabled(ctx, tenant, "email"))
    throw new AppError("setting_missing", { message: "The store has no sender of e-mails." });
  await enqueueConsentMail(ctx, sql, userId, submission, "request_consent");
}

async function enqueueConfirmation(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
  submission: Submission,
): Promise<void> {
  if (isChannelEnabled(ctx, tenant, "email"))
    await enqueueConsentMail(ctx, sql, userId, submission, "confirm_consent");
}

async function enqueueConsentMail(
  ctx: Ctx,
  sql: TenantSql,
  userId: number,
  submission: Submission,
  template: "confirm_consent" | "request_consent",
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
  /** What each consent becomes by the confirmation. */
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
  const confirmed = await dataOf(ctx, tenant).transaction(async (sql) => {
    const pending = await takeKey<Pending>(sql, KEYS.consentLink(hash("sha256", token)));
    const [user] = pending
      ? await sql<Columns<StorefrontUser, "id" | "email"> & { email: string }>(CONFIRM, [
          pending.user_id,
        ])
      : [];
    // The address may have changed since: the old mailbox does not prove the new one.
    if (!pending || !user || normaliseMailbox(ctx, tenant.shop, user.email) !== pending.email_hmac)
      throw new AppError("invalid_link");
    const submission = {
      ...pending.submission,
      flags: addressFlags(pending.submission.flags),
      consentId: `${pending.submission.consentId}:confirmed`,
    };
    const subject = { userId: user.id };
    const { recorded } = await writeConsentsWithin(ctx, tenant, sql, subject, submission);
    return { ...subject, recorded };
  });
  ctx.log.info("consent.confirmed", {
    shop: tenant.shop,
    user_id: confirmed.userId,
    rows: confirmed.recorded.length,
  });
  return confirmed.recorded;
}
