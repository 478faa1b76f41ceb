// Channel `web_analytics`: one event per change and, with analytics consent, the CRM user
// properties (SPEC "Emitted analytics events"). No personal data is sent; the events of one person
// share a client id.
import type { Ctx } from "../../../context.server.ts";
import type { AnalyticsHit } from "../../../integrations/web-analytics.ts";
import {
  isListedOrConfigured,
  PermanentFailure,
  type Channel,
  type QueueItem,
} from "../../bus/channel.ts";
import { OWN_FAILURES } from "../../bus/log/own-failures.ts";
import { PIXEL_SOURCE } from "../../events/pixel-event.ts";
import type { CustomerSnapshot } from "../../customers/customer-snapshot.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { isSignIn, sessionIdOf, toAnalyticsEvent } from "./events.ts";
import { toUserPropertyValue } from "./limits.ts";
import { toBusEvent } from "./outside-events.ts";
import { findPresentCustomer, findUserId, readPerson } from "../item-customer.ts";
import { GONE, isNothing, nothingToSend, skipOf } from "../nothing-to-send.ts";

const ENDPOINT = "/mp/collect";

/** A stable pseudonym in the form `number.number` of the product's own cookie. */
function toClientId(pseudonym: string): string {
  return `${Number.parseInt(pseudonym.slice(0, 8), 16)}.${Number.parseInt(pseudonym.slice(8, 16), 16)}`;
}

function toUserProperties(customer: CustomerSnapshot): Record<string, { value: string }> {
  const of = (...categories: string[]) =>
    customer.crmTags.filter((tag) => categories.includes(tag.category)).map((tag) => tag.slug);
  const properties = {
    crm_status: of("status"),
    crm_tier: of("tier"),
    crm_segment: of("segment"),
    crm_campaign: of("campaign"),
    crm_tags: customer.crmTags.map((tag) => tag.slug),
    consent_marketing: [customer.consents.marketing ? "granted" : "denied"],
    consent_tos: [customer.consents.tos ? "granted" : "denied"],
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, slugs]) => [
      name,
      { value: toUserPropertyValue(slugs) },
    ]),
  );
}

/**
 * The pseudonym of a visit to the checkout or the account, where the store's pixel cannot read the
 * product's own cookie; null for any other event. The product takes numbers only as a session.
 */
function visitOf(
  ctx: Ctx,
  { shop }: Tenant,
  { source, payload }: QueueItem,
): { clientId: string; sessionId: string } | null {
  if (source !== PIXEL_SOURCE || typeof payload.visit !== "string") return null;
  const pseudonym = ctx.secrets.pseudonym(`${shop}/analytics-visit`, payload.visit);
  return {
    clientId: toClientId(pseudonym),
    sessionId: String(Number.parseInt(pseudonym.slice(16, 24), 16)),
  };
}

/** A person unknown in the store gets a stable pseudonym. */
function clientIdOf(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
  customer: CustomerSnapshot | null,
): string {
  if (customer?.ga_client_id) return customer.ga_client_id;
  const person = readPerson(item);
  const stranger = person.userId === null ? (person.gid ?? person.email) : null;
  return toClientId(
    ctx.secrets.pseudonym(
      `${tenant.shop}/analytics`,
      customer ? String(customer.id) : (stranger ?? `${item.entityType}/${item.entityId}`),
    ),
  );
}

/** The product accepts events of the last 72 hours; the way there needs some of them. */
const MAX_AGE_MS = 71 * 60 * 60_000;

/** When the event happened, which may be hours before its delivery. Too old: it counts when it arrives. */
function happenedAt({ clock }: Ctx, { occurredAt }: QueueItem): { timestamp_micros?: number } {
  const age = clock.now().getTime() - occurredAt.getTime();
  return age >= 0 && age <= MAX_AGE_MS ? { timestamp_micros: occurredAt.getTime() * 1_000 } : {};
}

function toHit(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
  customer: CustomerSnapshot | null,
): AnalyticsHit {
  const isCustomer = item.entityType === "customer";
  const event = isCustomer ? toAnalyticsEvent(item, customer) : toBusEvent(item);
  const visit = visitOf(ctx, tenant, item);
  const sessionId = isCustomer && customer ? sessionIdOf(item) : visit?.sessionId;
  const ads = customer?.consents.marketing ? "GRANTED" : "DENIED";
  return {
    client_id: visit?.clientId ?? clientIdOf(ctx, tenant, item, customer),
    ...happenedAt(ctx, item),
    consent: { ad_user_data: ads, ad_personalization: ads },
    ...(isCustomer &&
      customer?.consents.cookie && {
        user_properties: {
          ...toUserProperties(customer),
          ...(isSignIn(item) && { provider: { value: customer.provider } }),
        },
      }),
    events: [
      {
        name: event.name,
        params: {
          ...event.params,
          ...(sessionId && { session_id: sessionId }),
          event_id: item.eventId,
          engagement_time_msec: 1,
        },
      },
    ],
  };
}

export const webAnalyticsChannel: Channel = {
  name: "web_analytics",
  needs: ["analytics_measurement_id", "analytics_api_secret"],
  credentialsKey: "analytics_api_secret",
  marketing: true,
  requiresConsent: null,
  isDestination: true,
  waitsForWebhook: true,
  isEnabled: (tenant) => isListedOrConfigured(tenant, webAnalyticsChannel),
  async transform(ctx, tenant, item) {
    const userId = await findUserId(ctx, tenant, item);
    const customer = userId === null ? null : await findPresentCustomer(ctx, tenant, userId);
    // Nothing is sent about a deleted customer.
    if (userId !== null && !customer) return nothingToSend(ENDPOINT, GONE.skipped);
    return {
      transformed_payload: { ...toHit(ctx, tenant, item, customer) },
      delivery_config: {
        method: "POST",
        endpoint: ENDPOINT,
        credentials_key: "analytics_api_secret",
      },
    };
  },
  async deliver(ctx, tenant, item, message) {
    if (isNothing(message)) return skipOf(message);
    const answer = await ctx.webAnalytics.collect(
      requireStream(tenant, item.eventId),
      message.transformed_payload as unknown as AnalyticsHit,
    );
    return { httpStatus: answer.status };
  },
  async probe(ctx, tenant) {
    const hit: AnalyticsHit = {
      client_id: "1.1",
      consent: { ad_user_data: "DENIED", ad_personalization: "DENIED" },
      events: [{ name: "crm_sync", params: { source: "probe" } }],
    };
    const { status, problems } = await ctx.webAnalytics.validate(
      requireStream(tenant, "probe"),
      hit,
    );
    if (problems.length > 0) throw new PermanentFailure(problems.join("; "));
    return { httpStatus: status };
  },
};

function requireStream({ shop, config }: Tenant, eventId: string) {
  const { analytics_measurement_id: measurementId, analytics_api_secret: apiSecret } = config;
  if (!measurementId || !apiSecret)
    throw new PermanentFailure(
      OWN_FAILURES.notSet.text("the analytics measurement id or API secret"),
    );
  return { measurementId, apiSecret, about: { shop, event_id: eventId } };
}
