// Channel `email`: mails to shoppers, and to a merchant who requested a person's data. The link of
// a mail is created at the attempt and stored only as a hash.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import { TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import {
  Deferred,
  isConfigured,
  PermanentFailure,
  type Channel,
  type QueueItem,
} from "../../bus/channel.ts";
import { OWN_FAILURES } from "../../bus/log/own-failures.ts";
import { SENT_EARLIER } from "../../bus/outcome.ts";
import { createExportLink } from "../../compliance/export/export-link.ts";
import type { Submission } from "../../consent/consent-input.ts";
import { createConsentLink } from "../../consent/submit/consent-link.ts";
import { findCustomerSnapshot } from "../../customers/customer-snapshot.ts";
import { getAccount } from "../../identity/account.ts";
import { createLink, epochOf } from "../../identity/links.ts";
import { brandOf } from "../../mails/mail-brand.ts";
import { MAIL_TEMPLATES, type MailTemplate } from "../../mails/mail-texts.ts";
import { findMerchantRecipients, findStoreRecipients } from "../../mails/merchant-recipients.ts";
import { mailLocaleOf, renderMail } from "../../mails/render-mail.ts";
import { normaliseMailbox } from "../../tenants/mailbox.ts";
import { timeZoneOf } from "../../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { findUserId, requireCustomer } from "../item-customer.ts";
import { GONE, isNothing, nothingForMissing, skipOf } from "../nothing-to-send.ts";

const isConflict = (error: unknown, name: string): boolean =>
  error instanceof OutboundError && error.status === 409 && (error.body ?? "").includes(name);

/**
 * The provider already accepted this key with another body: every attempt creates its own link, and
 * the link in the sent mail is valid.
 */
const isSentAlready = (error: unknown) => isConflict(error, "invalid_idempotent_request");

/** An earlier attempt, whose answer was lost, is not over at the provider. */
const isInProgress = (error: unknown) => isConflict(error, "concurrent_idempotent_requests");
const IN_PROGRESS_RETRY_MS = 30_000;

/** The link of each mail, and its lifetime. */
const LINKS: Record<
  MailTemplate,
  { purpose: "password" | "email" | "consent"; path: string; ttlSeconds: number } | null
> = {
  welcome: {
    purpose: "password",
    path: "/auth/password/reset",
    ttlSeconds: TTL_SECONDS.welcomeLink,
  },
  reset_password: {
    purpose: "password",
    path: "/auth/password/reset",
    ttlSeconds: TTL_SECONDS.passwordResetLink,
  },
  account_exists: {
    purpose: "password",
    path: "/auth/password/reset",
    ttlSeconds: TTL_SECONDS.passwordResetLink,
  },
  verify_email: { purpose: "email", path: "/auth/verify-email", ttlSeconds: TTL_SECONDS.emailLink },
  verify_changed_email: {
    purpose: "email",
    path: "/auth/verify-email",
    ttlSeconds: TTL_SECONDS.emailLink,
  },
  confirm_consent: {
    purpose: "consent",
    path: "/auth/consent-confirm",
    ttlSeconds: TTL_SECONDS.consentLink,
  },
  request_consent: {
    purpose: "consent",
    path: "/auth/consent-confirm",
    ttlSeconds: TTL_SECONDS.consentLink,
  },
  sign_in_linked: null,
  account_deleted: null,
  data_export: null,
  dead_letter: null,
  privacy_due: null,
  storefront_finding: null,
};

const Mail = z.looseObject({
  template: z.enum(MAIL_TEMPLATES),
  provider: z.string().max(40).optional(),
  /** The encrypted address of an account that is deleted before the mail is sent. */
  sealed_to: z.string().optional(),
  language: z.string().nullish(),
  /** The consents that the mailed link records when it is followed. */
  submission: z.looseObject({ consentId: z.string() }).optional(),
  /** Sent to the operator of the store. */
  alert: z
    .object({ channel: z.string(), event_id: z.string(), attempts: z.number().optional() })
    .optional(),
  /** Sent to whom the store's privacy requests go: how many are due, and the first deadline. */
  due: z.object({ requests: z.number(), by: z.iso.datetime() }).optional(),
  /** Sent to the operator of the store: what is new on the storefront before consent. */
  finding: z.object({ vendors: z.array(z.string()).min(1) }).optional(),
  /** The privacy request whose export the mail links to. */
  request_id: z.number().int().optional(),
});

type Recipient = { to: string | string[]; name: string | null; language: string | null };

function readMail(item: QueueItem): z.output<typeof Mail> {
  const mail = Mail.safeParse(item.payload);
  if (!mail.success) throw new PermanentFailure("the payload names no known mail");
  return mail.data;
}

async function findRecipient(ctx: Ctx, tenant: Tenant, item: QueueItem): Promise<Recipient | null> {
  const { sealed_to: sealedTo, language = null, alert, due, finding } = readMail(item);
  // To nobody but the store itself.
  if (finding) {
    const to = await findStoreRecipients(ctx, tenant, "alert_emails");
    return to.length > 0 ? { to, name: null, language } : null;
  }
  if (alert || due) {
    const to = await storeRecipients(ctx, tenant, alert ? "alert_emails" : "privacy_emails");
    return { to, name: null, language };
  }
  if (sealedTo)
    return { to: ctx.secrets.unseal(`${tenant.shop}/mail`, sealedTo), name: null, language };
  requireCustomer(item);
  const userId = await findUserId(ctx, tenant, item);
  const customer = userId === null ? null : await findCustomerSnapshot(ctx, tenant, userId);
  if (!customer || customer.status === "deleted") return null;
  // Includes an unverified address, because the mail is its verification.
  const to = customer.email ?? customer.unproven_email;
  // The name may come from a stranger who signed up with this address, so the mail does not repeat it.
  const name = customer.is_unproven ? null : customer.first_name;
  return to ? { to, name, language: customer.language_pref } : null;
}

/** Falls back to the sender, so that there is always a recipient. */
async function storeRecipients(
  ctx: Ctx,
  tenant: Tenant,
  mail: "alert_emails" | "privacy_emails",
): Promise<string[]> {
  const { addresses } = await findMerchantRecipients(ctx, tenant, mail);
  return addresses.length > 0
    ? addresses
    : [(tenant.config.email_from ?? "").replace(/^.*<|>$/g, "")];
}

export const emailChannel: Channel = {
  name: "email",
  needs: ["email_from", "email_api_key"],
  credentialsKey: "email_api_key",
  marketing: false,
  requiresConsent: null,
  isDestination: false,
  // A destination list cannot disable the shoppers' password mails.
  isEnabled: (tenant) => isConfigured(tenant, emailChannel),
  // The address of a deleted account is stored nowhere else: it is not kept beyond its mail.
  isRecorded: (item) => item.payload.sealed_to === undefined,
  async transform(ctx, tenant, item) {
    const { template, alert, due, finding } = readMail(item);
    if (!(await findRecipient(ctx, tenant, item))) return nothingForMissing(item, "/emails");
    return {
      transformed_payload:
        (alert ?? due ?? finding)
          ? { template, ...(alert ?? due ?? finding) }
          : {
              template,
              [template === "data_export" ? "request_id" : "user_id"]: Number(item.entityId),
            },
      delivery_config: { method: "POST", endpoint: "/emails", credentials_key: "email_api_key" },
    };
  },
  async deliver(ctx, tenant, item, message) {
    if (isNothing(message)) return skipOf(message);
    const mail = readMail(item);
    const recipient = await findRecipient(ctx, tenant, item);
    if (!recipient) return GONE;
    const { email_api_key: apiKey, email_from: from } = tenant.config;
    if (!apiKey || !from)
      throw new PermanentFailure(OWN_FAILURES.notSet.text("the email key or sender"));
    const content = await writeMail(ctx, tenant, item, { mail, recipient });
    try {
      const answer = await ctx.email.send(
        {
          apiKey,
          idempotencyKey: `${item.eventId}:email`,
          about: { shop: tenant.shop, event_id: item.eventId },
        },
        { from, to: recipient.to, ...content },
      );
      return { httpStatus: answer.status };
    } catch (error) {
      if (isSentAlready(error)) return { httpStatus: 409, skipped: SENT_EARLIER };
      if (isInProgress(error))
        throw new Deferred("an earlier attempt is not over", IN_PROGRESS_RETRY_MS);
      throw error;
    }
  },
};

/** The subject and the two bodies, with a new link where the mail has one. */
async function writeMail(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
  { mail, recipient }: { mail: z.output<typeof Mail>; recipient: Recipient },
) {
  const { alert, due, finding } = mail;
  const locale = mailLocaleOf(recipient.language ?? tenant.config.locale);
  return renderMail(mail.template, {
    channel: alert?.channel ?? null,
    request: await findRequest(ctx, tenant, mail.request_id),
    due: due && { requests: due.requests, dueBy: new Date(due.by), timeZone: timeZoneOf(tenant) },
    vendors: finding?.vendors ?? null,
    attempts: alert?.attempts ?? null,
    locale,
    brand: brandOf(tenant),
    name: recipient.name,
    provider: mail.provider ?? null,
    link: await linkOf(ctx, tenant, { mail, locale, to: recipient.to }, item),
  });
}

/** The number and the deadline of the privacy request that the mail is about. */
async function findRequest(ctx: Ctx, tenant: Tenant, id: number | undefined) {
  if (id === undefined) return null;
  const { prisma } = dataOf(ctx, tenant);
  const row = await prisma.privacyRequest.findFirst({ select: { due_by: true }, where: { id } });
  return row && { id, dueBy: row.due_by, timeZone: timeZoneOf(tenant) };
}

/**
 * `locale` is the mail's: the page behind the link is in the same language. `to`: the address that the link
 * proves, because the mail goes there; the account may have another one by now.
 */
type LinkedMail = { mail: z.output<typeof Mail>; locale: string; to: Recipient["to"] };

function linkOf(
  ctx: Ctx,
  tenant: Tenant,
  linked: LinkedMail,
  item: QueueItem,
): Promise<string | null> | string {
  const { mail, locale } = linked;
  if (mail.alert)
    return screenUrl(ctx, tenant, `events/event/${encodeURIComponent(mail.alert.event_id)}`);
  if (mail.due) return screenUrl(ctx, tenant, "privacy");
  if (mail.finding) return screenUrl(ctx, tenant, "consent/storefront");
  if (mail.request_id !== undefined) return createExportLink(ctx, tenant, mail.request_id, locale);
  return makeLink(ctx, tenant, linked, Number(item.entityId));
}

/** A page of the app in the store's admin. */
const screenUrl = (ctx: Ctx, tenant: Tenant, path: string): string =>
  ctx.storefront.adminUrl(tenant.shop, `/admin/apps/${tenant.app.clientId}/app/${path}`);

async function makeLink(
  ctx: Ctx,
  tenant: Tenant,
  linked: LinkedMail,
  userId: number,
): Promise<string | null> {
  const { mail, locale } = linked;
  const kind = LINKS[mail.template];
  if (!kind) return null;
  const token = await makeToken(ctx, tenant, kind, linked, userId);
  return `${ctx.baseUrl}${kind.path}?${new URLSearchParams({ shop: tenant.shop, locale, token })}`;
}

async function makeToken(
  ctx: Ctx,
  tenant: Tenant,
  { purpose, ttlSeconds }: NonNullable<(typeof LINKS)[MailTemplate]>,
  { mail, to }: LinkedMail,
  userId: number,
): Promise<string> {
  const { sql } = dataOf(ctx, tenant);
  const account = await getAccount(sql, userId);
  const emailHmac = normaliseMailbox(ctx, tenant.shop, String(to));
  if (purpose === "consent")
    return createConsentLink(ctx, sql, {
      user_id: userId,
      submission: mail.submission as unknown as Submission,
      email_hmac: emailHmac,
    });
  const link = { user_id: userId, epoch: epochOf(account), email_hmac: emailHmac };
  return createLink(ctx, sql, link, { purpose, ttlSeconds });
}
