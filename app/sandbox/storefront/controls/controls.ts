/**
 * What a test or the console does to a shop: the actions of merchants and shoppers, and the passing
 * of time.
 */
import type { ShopState } from "../state.ts";
import type { SandboxApp } from "../storefront.ts";
import { createWebhookSender } from "../webhooks/sender.ts";
import { checkoutControls } from "./checkout.ts";
import { customerControls } from "./customers.ts";
import { installationControls } from "./installation.ts";
import { platformRuleControls } from "./platform-rules.ts";
import type { ShopAccess } from "./shop-access.ts";
import { storeSettingsControls } from "./store-settings.ts";

export function createStorefrontControls({
  app,
  ...parts
}: Omit<ShopAccess, "getShop" | "webhooks"> & { app: SandboxApp }) {
  const { state, settings } = parts;
  const getShop = (domain: string): ShopState => {
    const shop = state.shops[domain];
    if (!shop) throw new Error(`The sandbox has no store ${domain}: install the app there first`);
    return shop;
  };
  const webhooks = createWebhookSender({ app, settings, getShop });
  const access: ShopAccess = { ...parts, getShop, webhooks };
  const { subscribedUris: _, ...webhookControls } = webhooks;
  return {
    ...installationControls(access),
    ...platformRuleControls(access),
    ...customerControls(access),
    ...storeSettingsControls(access),
    ...checkoutControls(access),
    ...webhookControls,
  };
}
