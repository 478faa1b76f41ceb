/** What a shop sells, and the orders that come of it. */
import { putProduct, type Product, type ProductPatch } from "../catalog.ts";
import { putDelivery, type DeliverySettings } from "../checkout/delivery.ts";
import { putDiscount, type Discount } from "../checkout/discounts.ts";
import { payFor } from "../checkout/pay.ts";
import { orderPayload, putOrder, type Order, type OrderPatch } from "../orders.ts";
import type { WebhookDelivery } from "../webhooks/delivery.ts";
import type { SendWebhookOptions } from "../webhooks/sender.ts";
import type { ShopAccess } from "./shop-access.ts";

export function checkoutControls({
  saving,
  getShop,
  ensureShop,
  webhooks: { sendWebhook },
}: ShopAccess) {
  return {
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
  };
}
