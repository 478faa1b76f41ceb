/** The customers of a shop and what happens to them, with the webhooks that follow. */
import { putCustomer, type CustomerPatch } from "../customers.ts";
import { putSegment, type Segment } from "../segments/segments.ts";
import type { Customer } from "../state.ts";
import type { WebhookDelivery } from "../webhooks/delivery.ts";
import type { SendWebhookOptions } from "../webhooks/sender.ts";
import { createCustomerWebhooks } from "./customer-webhooks.ts";
import type { ShopAccess } from "./shop-access.ts";

export function customerControls({
  saving,
  settings,
  getShop,
  ensureShop,
  webhooks: { sendWebhook },
}: ShopAccess) {
  const { announce, echo, echoesSent } = createCustomerWebhooks(settings, sendWebhook);

  return {
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

    echoesSent,

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

    /** A segment of the merchant's own; throws for a query that the sandbox does not understand. */
    putSegment(domain: string, segment: Omit<Segment, "gid">): Segment {
      const made = putSegment(ensureShop(domain), segment);
      saving.soon();
      return made;
    },
  };
}
