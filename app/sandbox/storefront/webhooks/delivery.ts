/**
 * Sends one signed webhook to one address as the platform does (shopify.dev "Deliver webhooks through
 * HTTPS"). No retries.
 */
import { createHmac } from "node:crypto";
import { request } from "undici";

export type WebhookDelivery = {
  topic: string;
  shop: string;
  uri: string;
  /** null when there was no response. */
  status: number | null;
  ms: number;
  error?: string;
  webhookId: string;
  eventId: string;
  apiVersion: string;
  triggeredAt: string;
  /** The exact text that was signed and sent. */
  payload: string;
};

export type OutgoingWebhook = {
  shop: string;
  topic: string;
  uri: string;
  payload: string;
  apiVersion: string;
  secret: string;
  timeoutMs: number;
  webhookId: string;
  eventId: string;
  triggeredAt: string;
  headers?: Record<string, string> | undefined;
};

/** The name of a header has no case: each delivery writes them in another one. */
const SPELLINGS = [
  (name: string) => name,
  (name: string) => name.toLowerCase(),
  (name: string) => name.toUpperCase(),
];
let delivered = 0;

export async function deliverWebhook(webhook: OutgoingWebhook): Promise<WebhookDelivery> {
  const bytes = Buffer.from(webhook.payload, "utf8");
  const { webhookId, eventId, triggeredAt } = webhook;
  const spell = SPELLINGS[delivered++ % SPELLINGS.length] as (name: string) => string;
  const given = Object.entries({
    "Content-Type": "application/json",
    "User-Agent": "Shopify-Captain-Hook",
    "X-Shopify-Topic": webhook.topic,
    "X-Shopify-Hmac-Sha256": createHmac("sha256", webhook.secret).update(bytes).digest("base64"),
    "X-Shopify-Shop-Domain": webhook.shop,
    "X-Shopify-API-Version": webhook.apiVersion,
    "X-Shopify-Webhook-Id": webhookId,
    "X-Shopify-Event-Id": eventId,
    "X-Shopify-Triggered-At": triggeredAt,
    ...webhook.headers,
  });
  // The last value of a name counts: a test's own header replaces the platform's.
  const byName = new Map(given.map(([name, value]) => [name.toLowerCase(), [spell(name), value]]));
  const headers = Object.fromEntries(byName.values()) as Record<string, string>;

  const { topic, shop, uri, apiVersion, payload } = webhook;
  const facts = { topic, shop, uri, webhookId, eventId, apiVersion, triggeredAt, payload };
  const startedAt = performance.now();
  const elapsed = (): number => Math.round((performance.now() - startedAt) * 10) / 10;
  try {
    const response = await request(uri, {
      method: "POST",
      headers,
      body: bytes,
      signal: AbortSignal.timeout(webhook.timeoutMs),
    });
    await response.body.dump();
    return { ...facts, status: response.statusCode, ms: elapsed() };
  } catch (error) {
    return {
      ...facts,
      status: null,
      ms: elapsed(),
      error: error instanceof Error ? error.name : String(error),
    };
  }
}

/** customers/create -> CUSTOMERS_CREATE, customer.tags_added -> CUSTOMER_TAGS_ADDED */
export function topicEnum(topic: string): string {
  return topic.toUpperCase().replaceAll(/[^A-Z]/g, "_");
}

export function nanosecondTime(date: Date): string {
  return date.toISOString().replace("Z", "000000Z");
}
