// Channel `web_analytics`: an event per change and, with analytics consent, the CRM user properties (SPEC "Emitted
// analytics events"). Nothing personal is sent; events of one person stand under one client id.
import type { AnalyticsHit } from "../../integrations/web-analytics.ts";
import { isChannelEnabled, PermanentFailure, type Channel } from "../bus/channel.ts";
import type { CustomerSnapshot } from "../customers/customer-snapshot.ts";
import { isSignIn, toAnalyticsEvent } from "./analytics-events.ts";
import { toUserPropertyValue } from "./analytics-limits.ts";
import { findItemCustomer, GONE, isNothing, nothingToSend } from "./item-customer.ts";

const ENDPOINT = "/mp/collect";

/** A stable pseudonym in the form `number.number` that the product's own cookie has. */
export function toClientId(pseudonym: string): string {
  return `${Number.parseInt(pseudonym.slice(0, 8), 16)}.${Number.parseInt(pseudonym.slice(8, 16), 16)}`;
}

export function toUserProperties(customer: CustomerSnapshot): Record<string, { value: string }> {
  const of = (...categories: string[]) => customer.crmTags.filter((tag) => categories.includes(tag.category)).map((tag) => tag.slug);
  const properties = {
    crm_status: of("status"),
    crm_tier: of("tier"),
    crm_segment: of("segment"),
    crm_campaign: of("campaign"),
    crm_tags: customer.crmTags.map((tag) => tag.slug),
    consent_marketing: [customer.consents.marketing ? "granted" : "denied"],
    consent_tos: [customer.consents.tos ? "granted" : "denied"],
  };
  return Object.fromEntries(Object.entries(properties).map(([name, slugs]) => [name, { value: toUserPropertyValue(slugs) }]));
}

export const webAnalyticsChannel: Channel = {
  name: "web_analytics",
  credentialsKey: "analytics_api_secret",
  marketing: true,
  requiresConsent: null,
  isDestination: true,
  isEnabled: (tenant) => isChannelEnabled(tenant, "web_analytics", Boolean(tenant.config.analytics_measurement_id && tenant.config.analytics_api_secret)),
  async transform(ctx, item, tenant) {
    const customer = await findItemCustomer(ctx, item, tenant);
    if (!customer) return nothingToSend(ENDPOINT);
    const pseudonym = ctx.secrets.pseudonym(`${tenant.shop}/analytics`, String(customer.id));
    const ads = customer.consents.marketing ? "GRANTED" : "DENIED";
    const event = toAnalyticsEvent(item, customer);
    const hit: AnalyticsHit = {
      client_id: customer.ga_client_id ?? toClientId(pseudonym),
      consent: { ad_user_data: ads, ad_personalization: ads },
      ...(customer.consents.cookie && { user_properties: { ...toUserProperties(customer), ...(isSignIn(item) && { provider: { value: customer.provider } }) } }),
      events: [{ name: event.name, params: { ...event.params, event_id: item.eventId, engagement_time_msec: 1 } }],
    };
    return { transformed_payload: { ...hit }, delivery_config: { method: "POST", endpoint: ENDPOINT, credentials_key: "analytics_api_secret" } };
  },
  async deliver(ctx, item, message, tenant) {
    if (isNothing(message)) return GONE;
    const { analytics_measurement_id: measurementId, analytics_api_secret: apiSecret } = tenant.config;
    if (!measurementId || !apiSecret) throw new PermanentFailure("the analytics measurement id or API secret is not set");
    const answer = await ctx.webAnalytics.collect({ measurementId, apiSecret, about: { shop: tenant.shop, event_id: item.eventId } }, message.transformed_payload as unknown as AnalyticsHit);
    return { httpStatus: answer.status };
  },
};
