// The handler of each storefront webhook. Handling one twice changes nothing the second time.
import type { Ctx } from "../../../context.server.ts";
import { parseWithExactIds } from "../../../integrations/storefront/payload-ids.ts";
import { replaceUnstorable } from "../../../runtime/database/storable-json.ts";
import type { WebhookTopic } from "../../tenants/storefront/webhook-topics.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import {
  onCustomer,
  onCustomerDeleted,
  onCustomersMerged,
  onMarketingConsent,
  onPurchasingSummary,
  onTagsChanged,
} from "./customer-webhooks.ts";
import { onOrder } from "./order-webhooks.ts";
import { onScopesUpdated, onShopUpdated, onUninstalled } from "./store-webhooks.ts";
import type { Handled, Webhook, WebhookFollowers } from "./webhook.ts";
import type { InboxItem } from "./webhook-inbox.ts";

const HANDLERS: Record<WebhookTopic, (webhook: Webhook) => Promise<Handled>> = {
  "customers/create": onCustomer,
  "customers/update": onCustomer,
  "customers/delete": onCustomerDeleted,
  "customers/merge": onCustomersMerged,
  "customer.tags_added": onTagsChanged,
  "customer.tags_removed": onTagsChanged,
  "customers/purchasing_summary": onPurchasingSummary,
  "customers_email_marketing_consent/update": onMarketingConsent,
  "customers_marketing_consent/update": onMarketingConsent,
  "orders/create": onOrder,
  "shop/update": onShopUpdated,
  "app/uninstalled": onUninstalled,
  "app/scopes_update": onScopesUpdated,
};

export async function handleWebhook(
  ctx: Ctx,
  tenant: Tenant,
  item: InboxItem,
  followers: WebhookFollowers,
): Promise<Handled> {
  return HANDLERS[item.topic]({
    ctx,
    tenant,
    item,
    followers,
    payload: replaceUnstorable({ text: item.body, json: parseWithExactIds(item.body) }),
  });
}
