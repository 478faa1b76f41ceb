/** What a test, or the person at the overview page, does to a shop: what merchants, shoppers and time do to the real one. */
import type { Saving } from "./state-file.ts";
import { putProduct } from "./storefront-catalog.ts";
import type { Product, ProductPatch } from "./storefront-catalog.ts";
import { payFor } from "./storefront-checkout.ts";
import { addedTags, putCustomer, topicsOfChange } from "./storefront-customers.ts";
import type { CustomerPatch } from "./storefront-customers.ts";
import type { CostBucket } from "./storefront-graphql.ts";
import { orderPayload, putOrder } from "./storefront-orders.ts";
import type { Order, OrderPatch } from "./storefront-orders.ts";
import type {
  Customer,
  RefreshCall,
  ShopState,
  StorefrontSettings,
  StorefrontState,
} from "./storefront-state.ts";
import { grantTokens } from "./storefront-tokens.ts";
import type { TokenReply } from "./storefront-tokens.ts";
import type { SandboxApp } from "./storefront.ts";
import { buildPayload } from "./storefront-webhook-payloads.ts";
import type { PayloadVersion } from "./storefront-webhook-payloads.ts";
import { deliverWebhook, topicEnum } from "./storefront-webhooks.ts";
import type { WebhookDelivery } from "./storefront-webhooks.ts";

export type SendWebhookOptions = {
  apiVersion?: PayloadVersion;
  webhookId?: string;
  eventId?: string;
  triggeredAt?: string;
  /** Signs with another secret than the app's: a forged delivery. */
  secret?: string;
  headers?: Record<string, string>;
  /** Instead of the subscribed addresses. */
  uri?: string;
  /** For customer.tags_added and customer.tags_removed; all tags of the customer otherwise. */
  tags?: string[];
};

export type StorefrontParts = {
  state: StorefrontState;
  saving: Saving;
  app: SandboxApp;
  settings: StorefrontSettings;
  ensureShop: (domain: string) => ShopState;
  bucketOf: (domain: string) => CostBucket;
};

const KEPT_DELIVERIES = 500;

// Compliance topics are never subscribed through the API: the app's configuration file names their addresses.
const COMPLIANCE_PATHS: Record<string, string> = {
  "customers/data_request": "/gdpr/data-request",
  "customers/redact": "/gdpr/customer-redact",
  "shop/redact": "/gdpr/shop-redact",
};

export function createStorefrontControls({
  state,
  saving,
  app,
  settings,
  ensureShop,
  bucketOf,
}: StorefrontParts) {
  const sent: WebhookDelivery[] = [];
  const echoes = new Set<Promise<unknown>>();

  const getShop = (domain: string): ShopState => {
    const shop = state.shops[domain];
    if (!shop) throw new Error(`The sandbox has no store ${domain}: install the app there first`);
    return shop;
  };

  /** `what`: a customer gid (the payload is built from its state), a ready JSON text, an object, or nothing for shop topics. */
  const sendWebhook = async (
    domain: string,
    topic: string,
    what?: unknown,
    options: SendWebhookOptions = {},
  ): Promise<WebhookDelivery[]> => {
    const shop = getShop(domain);
    const compliancePath = COMPLIANCE_PATHS[topic];
    const uris = options.uri
      ? [options.uri]
      : compliancePath
        ? [new URL(compliancePath, app.url()).href]
        : shop.subscriptions
            .filter((subscription) => subscription.topic === topicEnum(topic))
            .map(({ uri }) => uri);
    const version = options.apiVersion ?? (settings.webhookApiVersion as PayloadVersion);
    const payload = toPayload(shop, topic, what, version, options.tags);
    const eventId = options.eventId ?? crypto.randomUUID();
    const deliveries = await Promise.all(
      uris.map((uri) =>
        deliverWebhook({
          shop: domain,
          topic,
          uri,
          payload,
          apiVersion: version,
          secret: options.secret ?? app.clientSecret,
          timeoutMs: settings.webhookTimeoutMs,
          webhookId: options.webhookId,
          eventId,
          triggeredAt: options.triggeredAt,
          headers: options.headers,
        }),
      ),
    );
    sent.push(...deliveries);
    sent.splice(0, Math.max(0, sent.length - KEPT_DELIVERIES));
    return deliveries;
  };

  const announce = async (
    domain: string,
    before: Customer | undefined,
    after: Customer,
    options: SendWebhookOptions,
  ): Promise<WebhookDelivery[]> => {
    // One merchant action: every delivery of it carries the same event id.
    const eventId = options.eventId ?? crypto.randomUUID();
    const batches = await Promise.all(
      topicsOfChange(before, after).map((topic) => {
        const tags =
          topic === "customer.tags_removed" && before
            ? addedTags(after, before)
            : before
              ? addedTags(before, after)
              : after.tags;
        return sendWebhook(domain, topic, after.gid, { ...options, eventId, tags });
      }),
    );
    return batches.flat();
  };

  /** A change made through the platform's own doors (its API, its sign-in) is announced too, after the reply. */
  const echo = (domain: string, before: Customer | undefined, after: Customer): void => {
    if (!settings.echoWebhooks) return;
    const announced: Promise<unknown> = announce(domain, before, after, {}).finally(() =>
      echoes.delete(announced),
    );
    echoes.add(announced);
  };

  return {
    /** The app installed without the browser: a token pair as the grant would give it. */
    install(domain: string, options: { scope?: string; expiring?: boolean } = {}): TokenReply {
      const reply = grantTokens(
        ensureShop(domain),
        options.scope ?? "read_customers,write_customers",
        options.expiring ?? true,
        settings,
      );
      saving.now();
      return reply;
    },

    /** Uninstalls: tokens and subscriptions are gone before the app hears of it. */
    async uninstall(
      domain: string,
      options: SendWebhookOptions & { silent?: boolean } = {},
    ): Promise<WebhookDelivery[]> {
      const shop = getShop(domain);
      const uris = shop.subscriptions
        .filter(({ topic }) => topic === "APP_UNINSTALLED")
        .map(({ uri }) => uri);
      Object.assign(shop, {
        isInstalled: false,
        accessTokens: [],
        refreshTokens: [],
        subscriptions: [],
        migrations: [],
        codes: [],
      });
      saving.now();
      if (options.silent) return [];
      const deliveries = await Promise.all(
        uris.map((uri) => sendWebhook(domain, "app/uninstalled", undefined, { ...options, uri })),
      );
      return deliveries.flat();
    },

    expireAccessTokens(domain: string, inSeconds = 0): void {
      for (const token of getShop(domain).accessTokens)
        if (token.expiresAt !== null) token.expiresAt = Date.now() + inSeconds * 1000;
      saving.now();
    },
    revokeRefreshToken(domain: string): void {
      for (const token of getShop(domain).refreshTokens) token.status = "retired";
      saving.now();
    },
    /** Every refresh_token grant the shop was asked for, oldest first. */
    refreshCalls: (domain: string): RefreshCall[] => [...getShop(domain).refreshCalls],
    setAvailableCost(domain: string, points: number): void {
      Object.assign(bucketOf(domain), { available: points, at: Date.now() });
    },

    /** Changes state only; nobody is told. */
    putCustomer(domain: string, patch: CustomerPatch): Customer {
      const customer = putCustomer(ensureShop(domain), patch);
      saving.soon();
      return customer;
    },
    /** As a person or the app changes a customer at the platform: the webhooks follow on their own (`echoWebhooks`). */
    saveCustomer(domain: string, patch: CustomerPatch): Customer {
      const shop = ensureShop(domain);
      const before = patch.gid === undefined ? undefined : shop.customers[patch.gid];
      const after = putCustomer(shop, patch);
      saving.soon();
      echo(domain, before, after);
      return after;
    },
    /** Resolves once every webhook that follows such a change was answered. */
    async echoesSent(): Promise<void> {
      while (echoes.size > 0) await Promise.all(echoes);
    },
    /** Creates a customer and tells the subscribed addresses. */
    async createCustomer(
      domain: string,
      patch: CustomerPatch,
      options: SendWebhookOptions = {},
    ): Promise<{ customer: Customer; deliveries: WebhookDelivery[] }> {
      const customer = putCustomer(ensureShop(domain), patch);
      saving.soon();
      return { customer, deliveries: await announce(domain, undefined, customer, options) };
    },
    /** Changes a customer and tells the subscribed addresses everything that changed. */
    async changeCustomer(
      domain: string,
      gid: string,
      patch: CustomerPatch,
      options: SendWebhookOptions = {},
    ): Promise<WebhookDelivery[]> {
      const shop = getShop(domain);
      const before = shop.customers[gid];
      if (!before) throw new Error(`${domain} has no customer ${gid}`);
      const after = putCustomer(shop, { ...patch, gid });
      saving.soon();
      return announce(domain, before, after, options);
    },
    /** Deletes from state only; send customers/delete yourself, before or after. */
    deleteCustomer(domain: string, gid: string): void {
      delete getShop(domain).customers[gid];
      saving.soon();
    },
    customer: (domain: string, gid: string): Customer | undefined => getShop(domain).customers[gid],
    customers: (domain: string): Customer[] => Object.values(getShop(domain).customers),
    /** The platform refuses a subscription to the topic (`customers/merge`) from now on, for this reason; null: no longer. */
    refuseTopic(domain: string, topic: string, reason: string | null): void {
      const shop = ensureShop(domain);
      const { [topicEnum(topic)]: _, ...others } = shop.refusedTopics ?? {};
      shop.refusedTopics = reason === null ? others : { ...others, [topicEnum(topic)]: reason };
      saving.soon();
    },
    subscriptions: (domain: string) => [...getShop(domain).subscriptions],
    isInstalled: (domain: string): boolean => state.shops[domain]?.isInstalled ?? false,

    putProduct: (domain: string, patch: ProductPatch): Product =>
      putProduct(ensureShop(domain), patch),
    /** Changes state only; nobody is told. */
    putOrder: (domain: string, patch: OrderPatch): Order => putOrder(ensureShop(domain), patch),
    /** The shopper pays at the address of a cart or draft order; the subscribed addresses hear of the order. */
    async pay(
      domain: string,
      url: string,
      options: SendWebhookOptions = {},
    ): Promise<{ order: Order; deliveries: WebhookDelivery[] }> {
      const shop = getShop(domain);
      const order = payFor(shop, url);
      saving.soon();
      return {
        order,
        deliveries: await sendWebhook(domain, "orders/create", orderPayload(shop, order), options),
      };
    },

    sendWebhook,
    /** Webhooks sent since the start, oldest first. */
    deliveries: (domain?: string): WebhookDelivery[] =>
      sent.filter(({ shop }) => domain === undefined || shop === domain),
  };
}

function toPayload(
  shop: ShopState,
  topic: string,
  what: unknown,
  version: PayloadVersion,
  tags: string[] | undefined,
): string {
  if (typeof what === "string" && !what.startsWith("gid://")) return what;
  if (typeof what === "object" && what !== null) return JSON.stringify(what);
  const customer =
    typeof what === "string" ? (shop.customers[what] ?? deletedCustomer(what)) : undefined;
  return buildPayload(topic, { shop, customer, version, ...(tags && { tags }) });
}

/** After a deletion the platform still names the customer, with nothing else left. */
function deletedCustomer(gid: string): Customer {
  return putCustomer({ customers: {} } as ShopState, { gid, createdAt: new Date(0).toISOString() });
}
