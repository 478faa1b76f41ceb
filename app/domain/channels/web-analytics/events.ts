// The events about a person for the analytics product, and their parameters (SPEC "Emitted
// analytics events and user properties"); events of other systems about orders and things are in
// outside-events.ts. Code that enqueues an event other than a customer's sync marks it in the
// payload: `{user_id, analytics: {name, params}}`. Parameters outside this table, and values that
// look personal, are not sent.
import { z } from "zod";
import { PermanentFailure, type QueueItem } from "../../bus/channel.ts";
import type { CustomerSnapshot } from "../../customers/customer-snapshot.ts";
import { toParamValue } from "./limits.ts";
import { readPerson } from "../item-customer.ts";

const ANALYTICS_EVENTS = {
  crm_tags_updated: ["tags_added", "tags_removed", "campaign_tags"],
  crm_sync: ["source"],
  consent_update: [
    "consent_tos",
    "consent_privacy",
    "consent_cookie",
    "consent_marketing",
    "consent_method",
  ],
  // Sent by the browser; its `email` is for the form only and is never sent to the product.
  crm_form_submit: [
    "form_type",
    "session_id",
    "submit_timestamp",
    "consent_marketing",
    "crm_user_id",
    "source_page",
  ],
  ucp_mandate_created: ["mandate_id", "max_amount", "currency", "scope"],
  ucp_mandate_used: [],
  ucp_checkout_created: [],
  ucp_checkout_completed: [],
} as const satisfies Record<string, readonly string[]>;

type AnalyticsEventName = keyof typeof ANALYTICS_EVENTS;
type AnalyticsEvent = { name: AnalyticsEventName; params: Record<string, string | number> };

/** Causes that are a sign-in or sign-up: their events also contain the user property `provider`. */
const SIGN_INS = new Set(["email_signup", "federated_sign_in", "storefront_sign_in"]);

const slugs = z.array(z.string()).default([]);
const Payload = z.looseObject({
  cause: z.string().optional(),
  tags_added: slugs,
  tags_removed: slugs,
  method: z.string().optional(),
  ga_session_id: z.string().max(100).optional(),
  analytics: z
    .object({
      name: z.string(),
      params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
    })
    .optional(),
});

function readPayload(item: QueueItem): z.output<typeof Payload> {
  const payload = Payload.safeParse(item.payload);
  if (!payload.success) throw new PermanentFailure("the payload is not one of an analytics event");
  return payload.data;
}

export const isSignIn = (item: QueueItem): boolean =>
  readPerson(item).userId !== null && SIGN_INS.has(readPayload(item).cause ?? "");

/**
 * The browser session of the change, from the analytics product's own cookie, to which the event
 * belongs.
 */
export function sessionIdOf(item: QueueItem): string | null {
  const sessionId = readPerson(item).userId === null ? undefined : readPayload(item).ga_session_id;
  return sessionId && !isPersonal(sessionId) ? sessionId : null;
}

/**
 * The analytics event of a queue row, by its cause. Null for a customer of another system that is
 * unknown in the store.
 */
export function toAnalyticsEvent(
  item: QueueItem,
  customer: CustomerSnapshot | null,
): AnalyticsEvent {
  // Fields of another system are untrusted: they do not set our causes and events.
  if (readPerson(item).userId === null || !customer)
    return {
      name: "crm_sync",
      params: { source: item.source === "storefront" ? "storefront_webhook" : item.source },
    };
  const { cause, tags_added: added, tags_removed: removed, method, analytics } = readPayload(item);
  if (analytics) return toNamedEvent(analytics.name, analytics.params);
  if (cause === "tag_change") {
    const campaigns = customer.crmTags
      .filter(({ category }) => category === "campaign")
      .map(({ slug }) => slug);
    return {
      name: "crm_tags_updated",
      params: {
        tags_added: toParamValue(added),
        tags_removed: toParamValue(removed),
        campaign_tags: toParamValue(campaigns),
      },
    };
  }
  if (cause === "consent_update") {
    const flags = (["tos", "privacy", "cookie", "marketing"] as const).map((type) => [
      `consent_${type}`,
      customer.consents[type] ? "granted" : "denied",
    ]);
    return toNamedEvent("consent_update", {
      ...Object.fromEntries(flags),
      consent_method: method ?? "banner",
    });
  }
  return { name: "crm_sync", params: { source: toParamValue([cause ?? "storefront_webhook"]) } };
}

export const isPersonal = (value: string) => /@|%40/.test(value);

function toNamedEvent(
  name: string,
  params: Record<string, string | number | boolean>,
): AnalyticsEvent {
  if (!Object.hasOwn(ANALYTICS_EVENTS, name))
    throw new PermanentFailure(`unknown analytics event: ${name.slice(0, 80)}`);
  const known = name as AnalyticsEventName;
  const kept = ANALYTICS_EVENTS[known].flatMap((param) => {
    const value = params[param];
    if (value === undefined || isPersonal(String(value))) return [];
    return [
      [param, typeof value === "number" ? value : toParamValue(String(value).split(","))] as const,
    ];
  });
  return { name: known, params: Object.fromEntries(kept) };
}
