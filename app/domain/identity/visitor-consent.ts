// Consent changes by whoever speaks for the browser.
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import type { ConsentSyncInput } from "../consent/consent-input.ts";
import { ADDRESS_CONSENT_TYPES, CONSENT_TYPES, consentColumn } from "../consent/consent-types.ts";
import {
  syncConsentOfAddress,
  syncConsentOfUser,
  syncConsentOfVisitor,
  type SyncedConsent,
  type Visit,
} from "../consent/sync-consent.ts";
import { findOrCreateContact } from "../customers/contact.ts";
import { findStorefrontPerson } from "../customers/storefront-person.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { EmailAddress } from "./email-address.ts";
import { isTryLeft } from "./rate-limits.ts";

export type ConsentSpeaker = { userId: number } | { gid: string } | { address: string };

/** `address` in the speaker is the network address of an anonymous caller, for the rate limit. */
export async function syncConsent(
  ctx: Ctx,
  tenant: Tenant,
  speaker: ConsentSpeaker,
  input: ConsentSyncInput,
  visit: Visit,
): Promise<SyncedConsent> {
  if ("userId" in speaker) return syncConsentOfUser(ctx, tenant, speaker.userId, input, visit);
  if ("gid" in speaker) {
    const userId = await findStorefrontPerson(ctx, tenant, speaker.gid);
    // A customer that has not arrived here yet is kept as a visitor: the gid is signed, the account is not there. The slash
    // stays: no browser can claim an id that has one.
    return userId !== null
      ? syncConsentOfUser(ctx, tenant, userId, input, visit)
      : syncConsentOfVisitor(
          ctx,
          tenant,
          { ...input, visitor_id: speaker.gid.replace(/^gid:\/\/shopify\//, "") },
          visit,
        );
  }
  if (input.email === undefined) return syncConsentOfVisitor(ctx, tenant, input, visit);
  requireAddressConsents(input);
  const email = EmailAddress.safeParse(input.email);
  if (!email.success)
    throw new AppError("invalid_request", { fields: { email: "must be an e-mail address" } });
  const mayMail = () =>
    isTryLeft(ctx, tenant, {
      consent_mail_per_email: email.data,
      consent_mail_per_address: speaker.address,
      consent_mail_per_store: tenant.shop,
    });
  return syncConsentOfAddress(ctx, tenant, email.data, input, visit, {
    findOrCreateContact,
    mayMail,
  });
}

/** Throws `invalid_request` for what an address alone cannot say. */
function requireAddressConsents(input: ConsentSyncInput): void {
  const refused = CONSENT_TYPES.filter(
    (type) =>
      !(ADDRESS_CONSENT_TYPES as readonly string[]).includes(type) &&
      input[consentColumn(type)] !== undefined,
  ).map(consentColumn);
  if (refused.length > 0)
    throw new AppError("invalid_request", {
      fields: Object.fromEntries(refused.map((name) => [name, "needs a signed-in person"])),
    });
}
