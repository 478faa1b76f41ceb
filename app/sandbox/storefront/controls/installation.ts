/** The app's installation in a shop: its tokens and scopes, and what it has put there. */
import type { ReceivedTrigger } from "../flow/flow-triggers.ts";
import type { Metafield, RefreshCall } from "../state.ts";
import { grantTokens, type TokenReply } from "../tokens.ts";
import type { WebPixel } from "../web-pixels.ts";
import type { WebhookDelivery } from "../webhooks/delivery.ts";
import type { SendWebhookOptions } from "../webhooks/sender.ts";
import type { ShopAccess } from "./shop-access.ts";

export function installationControls({
  state,
  saving,
  settings,
  getShop,
  ensureShop,
  webhooks: { sendWebhook, subscribedUris },
}: ShopAccess) {
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

    isInstalled: (domain: string): boolean => state.shops[domain]?.isInstalled ?? false,

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

    /** The app's web pixel in this store. */
    webPixel: (domain: string): WebPixel | null => getShop(domain).webPixel ?? null,
    /** The metafields of the app's installation. */
    appMetafields: (domain: string): Metafield[] => getShop(domain).appMetafields ?? [],
    /** The triggers that Shopify Flow received, newest first. */
    flowTriggers: (domain: string): ReceivedTrigger[] => getShop(domain).flowTriggers ?? [],
  };
}
