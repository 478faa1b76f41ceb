// Channel `profile_platform`: an XDM profile with the SHA-256 of the email as the only personal
// data; only when the tenant enabled it (SPEC "Real-time write matrix"). The membership of a segment that
// the merchant sends goes with it, and only of a customer who accepts marketing.
import { hash } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import {
  HASHED_EMAIL,
  toProfileMessage,
  type ProfileRecord,
} from "../../integrations/profile-platform.ts";
import {
  isListedOrConfigured,
  PermanentFailure,
  type Channel,
  type QueueItem,
} from "../bus/channel.ts";
import { OWN_FAILURES } from "../bus/log/own-failures.ts";
import {
  Audience,
  PROFILE_CHANNEL,
  SEGMENT_EVENT,
} from "../customers/segments/profile-audience.ts";
import { toSlug } from "../tags/catalog.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { findPresentCustomer, findUserId, readPerson, requireCustomer } from "./item-customer.ts";
import { GONE, isNothing, nothingToSend, skipOf, UNKNOWN } from "./nothing-to-send.ts";

const NO_CONSENT = { cookie: false, marketing: false };
const NAMESPACE = "customer_identity";

type ProfilePerson = { email: string; consents: { cookie: boolean; marketing: boolean } };

/** Whose profile is sent: a customer, or an unknown person whose address the event has. `skipped`: why none is sent. */
async function findProfilePerson(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
): Promise<ProfilePerson | { skipped: string }> {
  const userId = await findUserId(ctx, tenant, item);
  if (userId === null) {
    const named = readPerson(item);
    if (named.userId !== null || !named.email) return UNKNOWN;
    return { email: named.email, consents: NO_CONSENT };
  }
  const customer = await findPresentCustomer(ctx, tenant, userId);
  if (!customer) return GONE;
  if (!customer.email) return { skipped: "no address to hash" };
  return { email: customer.email, consents: customer.consents };
}

/** The segment of an event that the service itself made. */
function audienceOf(item: QueueItem): Audience | null {
  if (item.source !== "backend" || item.eventType !== SEGMENT_EVENT) return null;
  return Audience.safeParse(item.payload.segment).data ?? null;
}

const identityOf = (email: string): ProfileRecord["identityMap"] => ({
  [HASHED_EMAIL]: [
    { id: hash("sha256", email.toLowerCase()), primary: true, authenticatedState: "ambiguous" },
  ],
});

const membershipOf = (audience: Audience, now: string) => ({
  [NAMESPACE]: {
    [toSlug(audience.name) || audience.id]: {
      lastQualificationTime: now,
      status: "realized" as const,
    },
  },
});

export const profilePlatformChannel: Channel = {
  name: PROFILE_CHANNEL,
  needs: ["profile_platform_enabled", "profile_platform_url"],
  credentialsKey: "profile_platform_token",
  marketing: true,
  requiresConsent: null,
  isDestination: true,
  waitsForWebhook: true,
  // Its own switch overrides the destination list: no profile is sent for a store that did not
  // enable it.
  isEnabled: (tenant) =>
    tenant.config.profile_platform_enabled && isListedOrConfigured(tenant, profilePlatformChannel),
  async transform(ctx, tenant, item) {
    const endpoint = tenant.config.profile_platform_url ?? "";
    requireCustomer(item);
    const person = await findProfilePerson(ctx, tenant, item);
    if ("skipped" in person) return nothingToSend(endpoint, person.skipped);
    const { email, consents } = person;
    const audience = audienceOf(item);
    if (audience && !consents.marketing)
      return nothingToSend(endpoint, "the customer does not accept marketing");
    const now = ctx.clock.now().toISOString();
    const record: ProfileRecord = {
      _id: item.eventId,
      timestamp: now,
      identityMap: identityOf(email),
      ...(audience && { segmentMembership: membershipOf(audience, now) }),
      consents: {
        collect: { val: consents.cookie ? "y" : "n" },
        marketing: { email: { val: consents.marketing ? "y" : "n" } },
      },
    };
    return {
      transformed_payload: toProfileMessage(record),
      delivery_config: { method: "POST", endpoint, credentials_key: "profile_platform_token" },
    };
  },
  async deliver(ctx, tenant, item, message) {
    if (isNothing(message)) return skipOf(message);
    const {
      profile_platform_enabled: isOn,
      profile_platform_url: url,
      profile_platform_token: token,
    } = tenant.config;
    if (!isOn || !url)
      throw new PermanentFailure(OWN_FAILURES.notEnabled.text("the profile platform"));
    const answer = await ctx.profilePlatform.ingest(
      { url, token, about: { shop: tenant.shop, event_id: item.eventId } },
      message.transformed_payload,
    );
    return { httpStatus: answer.status };
  },
};
