/** What the merchant sets: the store's domain, time zone and policies, its theme, and who may visit it. */
import { putPolicy, type ShopPolicy } from "../policies.ts";
import { firstPrimaryHost, primaryHostOf } from "../state.ts";
import { furnishStore } from "../theme/furnish-store.ts";
import { setActiveBlock } from "../theme/theme-state.ts";
import type { VisitorAccess } from "../visitors/visitor-access.ts";
import type { WebhookDelivery } from "../webhooks/delivery.ts";
import type { SendWebhookOptions } from "../webhooks/sender.ts";
import type { ShopAccess } from "./shop-access.ts";

export function storeSettingsControls({
  state,
  saving,
  ensureShop,
  webhooks: { sendWebhook },
}: ShopAccess) {
  return {
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

    /** The text of one of the store's own policies, as HTML. */
    putPolicy(domain: string, type: ShopPolicy["type"], body: string): void {
      putPolicy(ensureShop(domain), type, body);
      saving.soon();
    },

    /** A full shelf and the app's blocks in the theme, for a store that is shown to people. */
    furnish(domain: string): void {
      furnishStore(ensureShop(domain));
      saving.soon();
    },

    /** What the merchant does in the theme editor with one of the app's blocks. */
    setActiveBlock(domain: string, block: string, isActive: boolean): void {
      setActiveBlock(ensureShop(domain), block, isActive);
      saving.soon();
    },

    /** What stands in the head of every page of the theme, beside the app's own embed. */
    setThemeHtml(domain: string, markup: string): void {
      ensureShop(domain).themeHtml = markup;
      saving.soon();
    },

    /** Whether the online store asks visitors for its password from now on. */
    setPassword(domain: string, hasPassword: boolean): void {
      ensureShop(domain).hasPassword = hasPassword;
      saving.soon();
    },

    /** Whether other sites may frame the store's pages from now on. */
    setFrameable(domain: string, isFrameable: boolean): void {
      ensureShop(domain).isFrameable = isFrameable;
      saving.soon();
    },

    /** Refuses visitors, or makes each page slow, from now on; `{}` ends both. */
    setAccess(domain: string, access: VisitorAccess): void {
      ensureShop(domain).access = access;
      saving.soon();
    },
  };
}
