/**
 * The webhooks of the sandbox's stores: to whom they go, and when. As on the platform, each may come
 * late, more than once and in any order: one webhook is repeated after the next one of its store
 * (`lateRepeats`), and held ones are released in another order or several times.
 */
import { putCustomer } from "../customers.ts";
import { shownCustomer } from "../graphql/protected-data.ts";
import type { Customer, ShopState, StorefrontSettings } from "../state.ts";
import type { SandboxApp } from "../storefront.ts";
import { buildPayload } from "./payloads.ts";
import type { PayloadVersion } from "./payloads.ts";
import { deliverWebhook, nanosecondTime, topicEnum } from "./delivery.ts";
import type { OutgoingWebhook, WebhookDelivery } from "./delivery.ts";
import { createObservers } from "../../observers.ts";

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

/** What the app's manifest subscribes to for every store, at addresses below the app's own. */
const MANIFEST_PATHS: Record<string, string> = {
  "app/uninstalled": "/webhooks/app-uninstalled",
  "app/scopes_update": "/webhooks/app-scopes-update",
  "customers/data_request": "/gdpr/data-request",
  "customers/redact": "/gdpr/customer-redact",
  "shop/redact": "/gdpr/shop-redact",
};

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

  /**
   * One delivery per subscription, of the manifest and of the API: a topic that both hold comes
   * twice.
   */
  const subscribedUris = (shop: ShopState, topic: string): string[] => {
    const manifestPath = MANIFEST_PATHS[topic];
    const ofApi = shop.subscriptions.filter(
      (subscription) => subscription.topic === topicEnum(topic),
    );
    return [
      ...(manifestPath ? [new URL(manifestPath, app.url()).href] : []),
      ...ofApi.map(({ uri }) => uri),
    ];
  };

  return {
    subscribedUris,
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
      const uris = options.uri ? [options.uri] : subscribedUris(shop, topic);
      const version = options.apiVersion ?? (settings.webhookApiVersion as PayloadVersion);
      const event = {
        shop: domain,
        topic,
        payload: toPayload(shop, topic, what, version, options.tags),
        apiVersion: version,
        secret: options.secret ?? app.clientSecret,
        timeoutMs: settings.webhookTimeoutMs,
        eventId: options.eventId ?? crypto.randomUUID(),
        triggeredAt: options.triggeredAt ?? nanosecondTime(new Date(timeOf(domain))),
        headers: options.headers,
      };
      const webhooks = uris.map((uri) => ({
        ...event,
        uri,
        webhookId: options.webhookId ?? crypto.randomUUID(),
      }));
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

/** Forged and redirected webhooks, and those of an app that has just gone, are not repeated. */
const isGenuine = ({ secret, uri, headers }: SendWebhookOptions): boolean =>
  secret === undefined && uri === undefined && headers === undefined;

function toPayload(
  shop: ShopState,
  topic: string,
  what: unknown,
  version: PayloadVersion,
  tags: string[] | undefined,
): string {
  if (typeof what === "string" && !what.startsWith("gid://")) return what;
  if (typeof what === "object" && what !== null) return JSON.stringify(what);
  const stored =
    typeof what === "string" ? (shop.customers[what] ?? deletedCustomer(what)) : undefined;
  // A privacy request names its customer to every app.
  const isRequest = topic === "customers/data_request" || topic === "customers/redact";
  const customer = stored && !isRequest ? shownCustomer(shop, stored) : stored;
  return buildPayload(topic, { shop, customer, version, ...(tags && { tags }) });
}

/** After a deletion the platform still sends the customer's id, and nothing else. */
function deletedCustomer(gid: string): Customer {
  return putCustomer({ customers: {} } as ShopState, { gid, createdAt: new Date(0).toISOString() });
}
