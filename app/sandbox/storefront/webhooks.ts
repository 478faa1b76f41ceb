/**
 * Sends one signed webhook to one address as the platform does (shopify.dev "Deliver webhooks through
 * HTTPS"). No retries.
 */
import { createHmac, randomUUID } from "node:crypto";

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
  webhookId?: string | undefined;
  eventId?: string | undefined;
  triggeredAt?: string | undefined;
  headers?: Record<string, string> | undefined;
};

export async function deliverWebhook(webhook: OutgoingWebhook): Promise<WebhookDelivery> {
  const bytes = Buffer.from(webhook.payload, "utf8");
  const webhookId = webhook.webhookId ?? randomUUID();
  const eventId = webhook.eventId ?? randomUUID();
  const triggeredAt = webhook.triggeredAt ?? nanosecondTime(new Date());
  const headers = new Headers({
    "Content-Type": "application/json",
    "User-Agent": "Shopify-Captain-Hook",
    "X-Shopify-Topic": webhook.topic,
    "X-Shopify-Hmac-Sha256": createHmac("sha256", webhook.secret).update(bytes).digest("base64"),
    "X-Shopify-Shop-Domain": webhook.shop,
    "X-Shopify-API-Version": webhook.apiVersion,
    "X-Shopify-Webhook-Id": webhookId,
    "X-Shopify-Event-Id": eventId,
    "X-Shopify-Triggered-At": triggeredAt,
  });
  for (const [name, value] of Object.entries(webhook.headers ?? {})) headers.set(name, value);

  const { topic, shop, uri, apiVersion, payload } = webhook;
  const facts = { topic, shop, uri, webhookId, eventId, apiVersion, triggeredAt, payload };
  const startedAt = performance.now();
  const elapsed = (): number => Math.round((performance.now() - startedAt) * 10) / 10;
  try {
    const response = await fetch(uri, {
      method: "POST",
      headers,
      body: bytes,
      redirect: "manual",
      signal: AbortSignal.timeout(webhook.timeoutMs),
    });
    await response.arrayBuffer();
    return { ...facts, status: response.status, ms: elapsed() };
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

function nanosecondTime(date: Date): string {
  return date.toISOString().replace("Z", "000000Z");
}
