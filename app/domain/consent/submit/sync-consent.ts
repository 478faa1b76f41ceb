// `POST /auth/consent-sync` (DECISIONS 7): who is asking decides what may change.
//   a signed-in person        flags and log
//   a browser without email  log, under its visitor id
//   a browser with an email  the form's row; flags only after the owner of the address confirms by a mailed link
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import type { Transaction } from "../../../db.server.ts";
import { findKey, putKeyIfAbsent } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { inSteps } from "../../../runtime/deadlines/in-steps.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import type { ConsentSyncInput } from "../consent-input.ts";
import type { Visit } from "../visit.ts";
import { writeConsents, type KnownPerson } from "../write/write-consents.ts";
import { enqueueConfirmation } from "./consent-link.ts";
import { readSubmission, reportConsent, type SyncedConsent } from "./submission.ts";

/** What was sent, and by what request. */
type Sent = { input: ConsentSyncInput; visit: Visit };

export async function syncConsentOfUser(
  ctx: Ctx,
  tenant: Tenant,
  person: KnownPerson,
  { input, visit }: Sent,
): Promise<SyncedConsent> {
  const submission = await readSubmission(ctx, tenant, input, visit);
  const written = await writeConsents(ctx, tenant, { subject: person, submission });
  return reportConsent(ctx, tenant, submission, written, person.userId);
}

export async function syncConsentOfVisitor(
  ctx: Ctx,
  tenant: Tenant,
  { input, visit }: Sent,
): Promise<SyncedConsent> {
  const submission = await readSubmission(ctx, tenant, input, visit);
  const visitor = { visitorId: input.visitor_id ?? submission.consentId };
  const written = await writeConsents(ctx, tenant, { subject: visitor, submission });
  return reportConsent(ctx, tenant, submission, written);
}

/**
 * Parts of later subjects, passed in; `mayMail` counts one mail to the address against its limit.
 */
type AddressRules = {
  findOrCreateContact(shop: string, tx: Transaction, email: string): Promise<number>;
  mayMail(): Promise<boolean>;
};

/** Storing a new contact and a mail costs some milliseconds: these are more than the request takes with them. */
const ADDRESS_STEP_MS = 50;

/** The same response, after the same time, whether the address is known or not, and whether a mail is sent or not. */
export const syncConsentOfAddress = (
  ctx: Ctx,
  tenant: Tenant,
  sent: Sent & { email: string },
  rules: AddressRules,
): Promise<SyncedConsent> =>
  inSteps(ADDRESS_STEP_MS, () => recordForAddress(ctx, tenant, sent, rules));

async function recordForAddress(
  ctx: Ctx,
  tenant: Tenant,
  { email, input, visit }: Sent & { email: string },
  { findOrCreateContact, mayMail }: AddressRules,
): Promise<SyncedConsent> {
  const submission = await readSubmission(ctx, tenant, input, visit);
  const { sql, transaction } = dataOf(ctx, tenant);
  const userId = await transaction((tx, prisma) =>
    findOrCreateContact(tenant.shop, { sql: tx, prisma }, email),
  );
  const visitor = { visitorId: input.visitor_id ?? submission.consentId };
  const form = { ...submission, flags: {} };
  const { recorded } = submission.formType
    ? await writeConsents(ctx, tenant, { subject: visitor, submission: form })
    : { recorded: [] };
  const asked = KEYS.consentAsked(hash("sha256", `${userId}/${submission.consentId}`));
  // A retry of the same submission sends no second mail and counts none. Marker and mail commit
  // together: the marker alone would lose the mail.
  const mailed = !(await findKey(sql, asked)) && (await mayMail());
  if (mailed)
    await transaction(async (tx) => {
      if (await putKeyIfAbsent(tx, asked, true, TTL_SECONDS.consentLink))
        // The decision is made when its owner confirms it, however long the form waited.
        await enqueueConfirmation(ctx, tenant, tx, {
          userId,
          submission: { ...submission, waitedSeconds: undefined },
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
