// Consent changes of a person, of a visitor, or of an address, depending on who asks.
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { requireActing } from "../consent/acting-person.ts";
import type { ConsentSyncInput } from "../consent/consent-input.ts";
import { ADDRESS_CONSENT_TYPES, CONSENT_TYPES, consentColumn } from "../consent/consent-types.ts";
import type { SyncedConsent } from "../consent/submit/submission.ts";
import {
  syncConsentOfAddress,
  syncConsentOfUser,
  syncConsentOfVisitor,
} from "../consent/submit/sync-consent.ts";
import type { Visit } from "../consent/visit.ts";
import type { KnownPerson } from "../consent/write/write-consents.ts";
import { findOrCreateContact } from "../customers/contact.ts";
import { findStorefrontPerson } from "../customers/storefront-person.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { Account } from "./account.ts";
import { EmailAddress } from "./email-address.ts";
import { withdrawFormConsent } from "./form-consent.ts";
import { tryConsume } from "./rate-limits.ts";

export type ConsentSpeaker =
  | { account: Pick<Account, "id" | "storefront_customer_gid" | "sessions_valid_after"> }
  | { gid: string }
  | { address: string };

/** Changes the consents of a known person. */
export function syncOwnConsent(
  ctx: Ctx,
  tenant: Tenant,
  person: KnownPerson,
  input: ConsentSyncInput,
  visit: Visit,
): Promise<SyncedConsent> {
  const { form_type: form, form_consent: isGranted } = input;
  return form !== undefined && isGranted === false
    ? withdrawFormConsent(ctx, tenant, person, { ...input, form_type: form }, visit)
    : syncConsentOfUser(ctx, tenant, person, { input, visit });
}

/**
 * The speaker's `address` is the client address of an anonymous caller, for the rate limit. Throws
 * `other_person` where another person acted.
 */
export async function syncConsent(
  ctx: Ctx,
  tenant: Tenant,
  speaker: ConsentSpeaker,
  input: ConsentSyncInput,
  visit: Visit,
): Promise<SyncedConsent> {
  if ("account" in speaker) {
    const { id, storefront_customer_gid: gid, sessions_valid_after: since } = speaker.account;
    requireActing(input.acted_by, { id, gid });
    const person = { userId: id, sessionsValidAfter: since };
    return syncOwnConsent(ctx, tenant, person, input, visit);
  }
  if ("gid" in speaker) {
    const userId = await findStorefrontPerson(ctx, tenant, speaker.gid);
    requireActing(input.acted_by, { id: userId, gid: speaker.gid });
    // A customer without an account here is recorded as a visitor: the gid is signed, the account
    // does not exist. The slash stays in the id: no browser can claim an id with one.
    return userId !== null
      ? syncOwnConsent(ctx, tenant, { userId }, input, visit)
      : syncConsentOfVisitor(ctx, tenant, {
          input: { ...input, visitor_id: speaker.gid.replace(/^gid:\/\/shopify\//, "") },
          visit,
        });
  }
  requireActing(input.acted_by, null);
  if (input.email === undefined) return syncConsentOfVisitor(ctx, tenant, { input, visit });
  requireAddressConsents(input);
  const email = EmailAddress.safeParse(input.email);
  if (!email.success)
    throw new AppError("invalid_request", { fields: { email: "must be an email address" } });
  const mayMail = () =>
    tryConsume(ctx, tenant, {
      consent_mail_per_email: email.data,
      consent_mail_per_address: speaker.address,
      consent_mail_per_store: tenant.shop,
    });
  const sent = { email: email.data, input, visit };
  return syncConsentOfAddress(ctx, tenant, sent, { findOrCreateContact, mayMail });
}

/** Throws `invalid_request` for consents that an address alone cannot decide. */
function requireAddressConsents(input: ConsentSyncInput): void {
  const refused: string[] = CONSENT_TYPES.filter(
    (type) =>
      !(ADDRESS_CONSENT_TYPES as readonly string[]).includes(type) &&
      input[consentColumn(type)] !== undefined,
  ).map(consentColumn);
  if (input.form_consent === false) refused.push("form_consent");
  if (refused.length > 0)
    throw new AppError("invalid_request", {
      fields: Object.fromEntries(refused.map((name) => [name, "needs a signed-in person"])),
    });
}
