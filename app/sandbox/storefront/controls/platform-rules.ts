/** What the platform allows the app in a shop: its API calls, subscriptions and protected data. */
import type { Closure } from "../closed-store.ts";
import type { ProtectedData } from "../state.ts";
import { topicEnum } from "../webhooks/delivery.ts";
import type { ShopAccess } from "./shop-access.ts";

export function platformRuleControls({
  saving,
  settings,
  getShop,
  ensureShop,
  bucketOf,
}: ShopAccess) {
  return {
    /** The cost points that the app can spend at once from now on. */
    setAvailableCost(domain: string, points: number): void {
      Object.assign(bucketOf(domain), { available: points, at: Date.now() });
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
     * From now on the platform refuses a subscription to the topic (`customers/merge`) with this
     * reason; null: it accepts it again.
     */
    refuseTopic(domain: string, topic: string, reason: string | null): void {
      const shop = ensureShop(domain);
      const { [topicEnum(topic)]: _, ...others } = shop.refusedTopics ?? {};
      shop.refusedTopics = reason === null ? others : { ...others, [topicEnum(topic)]: reason };
      saving.soon();
    },

    subscriptions: (domain: string) => [...getShop(domain).subscriptions],

    /** The customer data that the platform hides from the app from now on; empty: nothing. */
    withholdData(domain: string, parts: ProtectedData[]): void {
      ensureShop(domain).withheld = parts;
      saving.soon();
    },

    /** The platform closes the store to apps; null: opens it again. Webhooks are still sent. */
    closeStore(domain: string, closure: Closure | null): void {
      ensureShop(domain).closure = closure;
      saving.soon();
    },
  };
}
