/** The webhooks that follow a change of a customer. */
import { addedTags, topicsOfChange } from "../customers.ts";
import type { Customer, StorefrontSettings } from "../state.ts";
import type { WebhookDelivery } from "../webhooks/delivery.ts";
import type { SendWebhookOptions } from "../webhooks/sender.ts";
import type { ShopAccess } from "./shop-access.ts";

export function createCustomerWebhooks(
  settings: StorefrontSettings,
  sendWebhook: ShopAccess["webhooks"]["sendWebhook"],
) {
  const echoes = new Set<Promise<unknown>>();

  /** Sends a webhook for each topic of the change; `before`: undefined for a new customer. */
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
        // The removed tags are those of the earlier state that the later one does not have.
        const [from, to] = topic === "customer.tags_removed" ? [after, before] : [before, after];
        const tags = from && to ? addedTags(from, to) : after.tags;
        return sendWebhook(domain, topic, after.gid, { ...options, eventId, tags });
      }),
    );
    return batches.flat();
  };

  return {
    announce,
    /** A change made through the platform's API or sign-in also sends webhooks, after the response. */
    echo(domain: string, before: Customer | undefined, after: Customer): void {
      if (!settings.echoWebhooks) return;
      const announced: Promise<unknown> = announce(domain, before, after, {}).finally(() =>
        echoes.delete(announced),
      );
      echoes.add(announced);
    },
    /** Resolves once every webhook that follows such a change was answered. */
    async echoesSent(): Promise<void> {
      while (echoes.size > 0) await Promise.all(echoes);
    },
  };
}
