/**
 * What a test or the console does to a shop: the actions of merchants and shoppers, and the passing
 * of time.
 */
import type { Saving } from "../state-file.ts";
import { putProduct } from "./catalog.ts";
import type { Closure } from "./closed-store.ts";
import { putDelivery, type DeliverySettings } from "./checkout/delivery.ts";
import { putDiscount, type Discount } from "./checkout/discounts.ts";
import type { Product, ProductPatch } from "./catalog.ts";
import { payFor } from "./checkout/pay.ts";
import { addedTags, putCustomer, topicsOfChange } from "./customers.ts";
import type { CustomerPatch } from "./customers.ts";
import type { CostBucket } from "./graphql/admin-api.ts";
import type { ReceivedTrigger } from "./flow/flow-triggers.ts";
import { orderPayload, putOrder } from "./orders.ts";
import type { Order, OrderPatch } from "./orders.ts";
import { putPolicy, type ShopPolicy } from "./policies.ts";
import { firstPrimaryHost, primaryHostOf } from "./state.ts";
import type {
  Customer,
  Metafield,
  ProtectedData,
  RefreshCall,
  ShopState,
  StorefrontSettings,
  StorefrontState,
} from "./state.ts";
import { putSegment, type Segment } from "./segments/segments.ts";
import { furnishStore } from "./theme/furnish-store.ts";
import { setActiveBlock } from "./theme/theme-state.ts";
import { grantTokens } from "./tokens.ts";
import type { TokenReply } from "./tokens.ts";
import type { WebPixel } from "./web-pixels.ts";
import type { SandboxApp } from "./storefront.ts";
import type { VisitorAccess } from "./visitors/visitor-access.ts";
import { createWebhookSender } from "./webhooks/sender.ts";
import type { SendWebhookOptions } from "./webhooks/sender.ts";
import { topicEnum } from "./webhooks/delivery.ts";
import type { WebhookDelivery } from "./webhooks/delivery.ts";

export type StorefrontParts = {
  state: StorefrontState;
  saving: Saving;
  app: SandboxApp;
  settings: StorefrontSettings;
  ensureShop: (domain: string) => ShopState;
  bucketOf: (domain: string) => CostBucket;
};

export function createStorefrontControls({
  state,
  saving,
  app,
  settings,
  ensureShop,
  bucketOf,
}: StorefrontParts) {
  const echoes = new Set<Promise<unknown>>();

  const getShop = (domain: string): ShopState => {
    const shop = state.shops[domain];
    if (!shop) throw new Error(`The sandbox has no store ${domain}: install the app there first`);
    return shop;
  };

  const { subscribedUris, ...webhooks } = createWebhookSender({ app, settings, getShop });
  const { sendWebhook } = webhooks;

  const announce = async (
    domain: string,
    before: Customer | undefined,
    after: Customer,
    options: SendWebhookOptions,
  ): Promise<WebhookDelivery[]> => {
    // Every delivery of one merchant action carries the same event id.
    const eventId = options.eventId ?? crypto.randomUUID();
    const batches = await Promise.all(
      topicsOfChange(before, after).map((topic) => {
        // What was removed is what the earlier state has beyond the later one.
        const [from, to] = topic === "customer.tags_removed" ? [after, before] : [before, after];
        const tags = from && to ? addedTags(from, to) : after.tags;
        return sendWebhook(domain, topic, after.gid, { ...options, eventId, tags });
      }),
    );
    return batches.flat();
  };

  /**
   * A change made through the platform's API or sign-in also sends webhooks, after the response.
   */
  const echo = (domain: string, before: Customer | undefined, after: Customer): void => {
    if (!settings.echoWebhooks) return;
    const announced: Promise<unknown> = announce(domain, before, after, {}).finally(() =>
      echoes.delete(announced),
    );
    echoes.add(announced);
  };

  return {
    /**
     * Installs the app without the browser and returns the token pair that the grant would give.
     */
    install(domain: string, options: { scope?: string; expiring?: boolean } = {}): TokenReply {
      const reply = grantTokens(
        ensureShop(domain),
        {
          scope: options.scope ?? "read_customers,write_customers",
          isExpiring: options.expiring ?? true,
        },
        settings,
      );
      saving.now();
      return reply;
    },

    /**
     * The merchant grants scopes that the manifest names as optional; the tokens have them at once.
     */
    async grantScopes(
      domain: string,
      scopes: readonly string[],
      options: SendWebhookOptions = {},
    ): Promise<WebhookDelivery[]> {
      const shop = getShop(domain);
      const add = (scope: string) =>
        [...new Set([...scope.split(",").filter(Boolean), ...scopes])].join(",");
      shop.grantedScope = add(shop.grantedScope);
      for (const token of [...shop.accessTokens, ...shop.refreshTokens])
        token.scope = add(token.scope);
      saving.now();
      return sendWebhook(domain, "app/scopes_update", undefined, options);
    },

    /** Uninstalls the app: tokens and subscriptions are deleted before the webhook is sent. */
    async uninstall(
      domain: string,
      options: SendWebhookOptions & { silent?: boolean } = {},
    ): Promise<WebhookDelivery[]> {
      const shop = getShop(domain);
      const uris = subscribedUris(shop, "app/uninstalled");
      Object.assign(shop, {
        isInstalled: false,
        accessTokens: [],
        refreshTokens: [],
        subscriptions: [],
        migrations: [],
        codes: [],
        appMetafields: [],
        webPixel: null,
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
    /** Every refresh_token grant that the shop received, oldest first. */
    refreshCalls: (domain: string): RefreshCall[] => [...getShop(domain).refreshCalls],
    setAvailableCost(domain: string, points: number): void {
      Object.assign(bucketOf(domain), { available: points, at: Date.now() });
    },

    /** Changes state only; sends no webhook. */
    putCustomer(domain: string, patch: CustomerPatch): Customer {
      const customer = putCustomer(ensureShop(domain), patch);
      saving.soon();
      return customer;
    },
    /**
     * Changes a customer as the platform does; the webhooks follow on their own (`echoWebhooks`).
     */
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
    /** Creates a customer and sends the webhooks to the subscribed addresses. */
    async createCustomer(
      domain: string,
      patch: CustomerPatch,
      options: SendWebhookOptions = {},
    ): Promise<{ customer: Customer; deliveries: WebhookDelivery[] }> {
      const customer = putCustomer(ensureShop(domain), patch);
      saving.soon();
      return { customer, deliveries: await announce(domain, undefined, customer, options) };
    },
    /** Changes a customer and sends the webhooks of every change to the subscribed addresses. */
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
    /** Deletes from state only; send customers/delete separately, before or after. */
    deleteCustomer(domain: string, gid: string): void {
      delete getShop(domain).customers[gid];
      saving.soon();
    },
    customer: (domain: string, gid: string): Customer | undefined => getShop(domain).customers[gid],
    customers: (domain: string): Customer[] => Object.values(getShop(domain).customers),
    primaryHost: (domain: string): string =>
      state.shops[domain] ? primaryHostOf(state.shops[domain]) : firstPrimaryHost(domain),
    /** Changes the primary domain and sends shop/update to the subscribed addresses. */
    async movePrimaryDomain(
      domain: string,
      host: string,
      options: SendWebhookOptions = {},
    ): Promise<WebhookDelivery[]> {
      ensureShop(domain).primaryHost = host;
      saving.soon();
      return sendWebhook(domain, "shop/update", undefined, options);
    },
    /** Changes the time zone and sends shop/update. */
    async moveTimeZone(domain: string, timeZone: string): Promise<WebhookDelivery[]> {
      ensureShop(domain).timeZone = timeZone;
      saving.soon();
      return sendWebhook(domain, "shop/update", undefined);
    },
    /** A subscription that the app made through the API, without a check of its present scopes. */
    subscribe(domain: string, topic: string, uri: string): void {
      const shop = getShop(domain);
      shop.subscriptions.push({
        gid: `gid://shopify/WebhookSubscription/${shop.nextSubscriptionId++}`,
        topic: topicEnum(topic),
        uri,
        apiVersion: settings.webhookApiVersion,
      });
    },
    /**
     * The platform refuses a subscription to the topic (`customers/merge`) from now on, for this
     * reason; null: no longer.
     */
    refuseTopic(domain: string, topic: string, reason: string | null): void {
      const shop = ensureShop(domain);
      const { [topicEnum(topic)]: _, ...others } = shop.refusedTopics ?? {};
      shop.refusedTopics = reason === null ? others : { ...others, [topicEnum(topic)]: reason };
      saving.soon();
    },
    /** What the merchant does in the theme editor with one of the app's blocks. */
    setActiveBlock(domain: string, block: string, isActive: boolean): void {
      setActiveBlock(ensureShop(domain), block, isActive);
      saving.soon();
    },
    /** A full shelf and the app's blocks in the theme, for a store that is shown to people. */
    furnish(domain: string): void {
      furnishStore(ensureShop(domain));
      saving.soon();
    },
    /** A segment of the merchant's own; throws for a query that the sandbox does not understand. */
    putSegment(domain: string, segment: Omit<Segment, "gid">): Segment {
      const made = putSegment(ensureShop(domain), segment);
      saving.soon();
      return made;
    },
    /** The app's web pixel in this store. */
    webPixel: (domain: string): WebPixel | null => getShop(domain).webPixel ?? null,
    /** The metafields of the app's installation. */
    appMetafields: (domain: string): Metafield[] => getShop(domain).appMetafields ?? [],
    /** The triggers that Shopify Flow received, newest first. */
    flowTriggers: (domain: string): ReceivedTrigger[] => getShop(domain).flowTriggers ?? [],
    /** The customer data that the app is not approved for from now on; empty: approved for all. */
    withholdData(domain: string, parts: ProtectedData[]): void {
      ensureShop(domain).withheld = parts;
      saving.soon();
    },
    /** The text of one of the store's own policies, as HTML. */
    putPolicy(domain: string, type: ShopPolicy["type"], body: string): void {
      putPolicy(ensureShop(domain), type, body);
      saving.soon();
    },
    /** The platform closes the store to apps, or opens it again: null. Its webhooks go on. */
    closeStore(domain: string, closure: Closure | null): void {
      ensureShop(domain).closure = closure;
      saving.soon();
    },
    /** The online store asks visitors for its password from now on, or no longer. */
    setPassword(domain: string, hasPassword: boolean): void {
      ensureShop(domain).hasPassword = hasPassword;
      saving.soon();
    },
    /** Other sites may frame the store's pages from now on, or no longer. */
    setFrameable(domain: string, isFrameable: boolean): void {
      ensureShop(domain).isFrameable = isFrameable;
      saving.soon();
    },
    /** Refuses visitors, or makes each page slow, from now on; `{}` ends both. */
    setAccess(domain: string, access: VisitorAccess): void {
      ensureShop(domain).access = access;
      saving.soon();
    },
    /** What stands in the head of every page of the theme, beside the app's own embed. */
    setThemeHtml(domain: string, markup: string): void {
      ensureShop(domain).themeHtml = markup;
      saving.soon();
    },
    subscriptions: (domain: string) => [...getShop(domain).subscriptions],
    isInstalled: (domain: string): boolean => state.shops[domain]?.isInstalled ?? false,

    putDelivery: (domain: string, settings: DeliverySettings): void =>
      putDelivery(ensureShop(domain), settings),
    putDiscount: (domain: string, discount: Discount): void =>
      putDiscount(ensureShop(domain), discount),
    putProduct: (domain: string, patch: ProductPatch): Product =>
      putProduct(ensureShop(domain), patch),
    /** Changes state only; sends no webhook. */
    putOrder: (domain: string, patch: OrderPatch): Order => putOrder(ensureShop(domain), patch),
    /**
     * Pays at the address of a cart or draft order and sends orders/create to the subscribed
     * addresses.
     */
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

    ...webhooks,
  };
}
