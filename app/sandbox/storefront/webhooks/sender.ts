/**
 * The webhooks of the sandbox's stores: to whom they go, and when. As on the platform, each may come
 * late, more than once and in any order: one webhook is repeated after the next one of its store
 * (`lateRepeats`), and held ones are released in another order or several times.
 */
import { createObservers } from "../../observers.ts";
import type { ShopState, StorefrontSettings } from "../state.ts";
import type { SandboxApp } from "../storefront.ts";
import { deliverWebhook, nanosecondTime } from "./delivery.ts";
import type { OutgoingWebhook, WebhookDelivery } from "./delivery.ts";
import { eventPayload } from "./event-payload.ts";
import type { PayloadVersion } from "./payloads.ts";
import { subscribedUris } from "./subscribed-uris.ts";

export type SendWebhookOptions = {
  apiVersion?: PayloadVersion;
  webhookId?: string;
  eventId?: string;
  triggeredAt?: string;
  /** Signs with a different secret than the app's: a forged delivery. */
  secret?: string;
  headers?: Record<string, string>;
  /** Replaces the subscribed addresses. */
  uri?: string;
  /** For customer.tags_added and customer.tags_removed; defaults to all tags of the customer. */
  tags?: string[];
};

export type ReleaseOptions = {
  /** `backwards`: the newest first. */
  order?: "as sent" | "backwards";
  /** How often each webhook is delivered, under the same ids. */
  copies?: number;
};

/** A webhook on its way: reported when it is sent, and again with its answer. */
export type ObservedWebhook = { webhook: OutgoingWebhook; delivery: WebhookDelivery | null };

const MAX_KEPT_DELIVERIES = 500;

export function createWebhookSender({
  app,
  settings,
  getShop,
}: {
  app: SandboxApp;
  settings: StorefrontSettings;
  getShop: (domain: string) => ShopState;
}) {
  const sent: WebhookDelivery[] = [];
  const held = new Map<string, OutgoingWebhook[]>();
  const toRepeat = new Map<string, { webhooks: OutgoingWebhook[]; installation: unknown }>();
  const observers = createObservers<ObservedWebhook>();
  let lastAt = 0;

  /** Held webhooks have different times, so that their order is known. */
  const timeOf = (domain: string): number => {
    lastAt = Math.max(Date.now(), held.has(domain) ? lastAt + 1 : 0);
    return lastAt;
  };

  const deliver = async (webhook: OutgoingWebhook): Promise<WebhookDelivery> => {
    observers.notify({ webhook, delivery: null });
    const delivery = await deliverWebhook(webhook);
    observers.notify({ webhook, delivery });
    sent.push(delivery);
    sent.splice(0, Math.max(0, sent.length - MAX_KEPT_DELIVERIES));
    return delivery;
  };

  /** Delivers the store's webhooks before these a second time, and keeps these for the next ones. */
  const repeatLate = async (shop: ShopState, webhooks: OutgoingWebhook[]): Promise<void> => {
    const installation = shop.accessTokens.at(-1);
    const earlier = toRepeat.get(shop.domain);
    toRepeat.set(shop.domain, { webhooks, installation });
    // An app that was installed again gets no webhook of its earlier installation.
    if (earlier?.installation === installation)
      await Promise.all(earlier?.webhooks.map(deliver) ?? []);
  };

  return {
    subscribedUris: (shop: ShopState, topic: string): string[] => subscribedUris(app, shop, topic),
    /**
     * `what`: a customer gid (the payload is built from its state), a ready JSON text, an object, or
     * nothing for shop topics.
     */
    async sendWebhook(
      domain: string,
      topic: string,
      what?: unknown,
      options: SendWebhookOptions = {},
    ): Promise<WebhookDelivery[]> {
      const shop = getShop(domain);
      const triggeredAt = options.triggeredAt ?? nanosecondTime(new Date(timeOf(domain)));
      const webhooks = buildWebhooks({ app, settings, shop, topic, what, options, triggeredAt });
      const waiting = held.get(domain);
      if (waiting) {
        waiting.push(...webhooks);
        return [];
      }
      const deliveries = await Promise.all(webhooks.map(deliver));
      if (settings.lateRepeats && isGenuine(options)) await repeatLate(shop, webhooks);
      return deliveries;
    },
    /** Keeps the store's webhooks from now on, as they are at their time, until they are released. */
    holdWebhooks(domain: string): void {
      if (!held.has(domain)) held.set(domain, []);
    },
    /** Delivers what was held, one after the other, and holds no more. */
    async releaseWebhooks(
      domain: string,
      { order = "as sent", copies = 1 }: ReleaseOptions = {},
    ): Promise<WebhookDelivery[]> {
      const waiting = held.get(domain) ?? [];
      held.delete(domain);
      const ordered = order === "backwards" ? waiting.toReversed() : waiting;
      const deliveries: WebhookDelivery[] = [];
      for (const webhook of Array.from({ length: copies }, () => ordered).flat())
        deliveries.push(await deliver(webhook));
      return deliveries;
    },
    /** Reports every webhook; returns the unsubscribe function. */
    onWebhook: (listener: (observed: ObservedWebhook) => void): (() => void) =>
      observers.add(listener),
    /** Webhooks sent since the start, oldest first. */
    deliveries: (domain?: string): WebhookDelivery[] =>
      sent.filter(({ shop }) => domain === undefined || shop === domain),
  };
}

type WebhookParts = {
  app: SandboxApp;
  settings: StorefrontSettings;
  shop: ShopState;
  topic: string;
  what: unknown;
  options: SendWebhookOptions;
  triggeredAt: string;
};

/** One webhook for each subscribed address: the same event, each with its own webhook id. */
function buildWebhooks({
  app,
  settings,
  shop,
  topic,
  what,
  options,
  triggeredAt,
}: WebhookParts): OutgoingWebhook[] {
  const version = options.apiVersion ?? (settings.webhookApiVersion as PayloadVersion);
  const event = {
    shop: shop.domain,
    topic,
    payload: eventPayload({ shop, topic, what, version, tags: options.tags }),
    apiVersion: version,
    secret: options.secret ?? app.clientSecret,
    timeoutMs: settings.webhookTimeoutMs,
    eventId: options.eventId ?? crypto.randomUUID(),
    triggeredAt,
    headers: options.headers,
  };
  const uris = options.uri ? [options.uri] : subscribedUris(app, shop, topic);
  return uris.map((uri) => ({
    ...event,
    uri,
    webhookId: options.webhookId ?? crypto.randomUUID(),
  }));
}

/** Forged and redirected webhooks, and those of an app that has just gone, are not repeated. */
const isGenuine = ({ secret, uri, headers }: SendWebhookOptions): boolean =>
  secret === undefined && uri === undefined && headers === undefined;
