// Welcomes a new storefront customer with a mail that contains a link to set a password
// (channels/email/email.ts builds it).
import type { TenantSql } from "../../../runtime/database/database.ts";
import { isChannelEnabled } from "../../bus/channel.ts";
import { enqueue } from "../../bus/enqueue.ts";
import { isUninstalled } from "../../tenants/store-access.ts";
import type { Webhook } from "./webhook.ts";

export async function enqueueWelcome(
  { ctx, tenant, followers }: Webhook,
  sql: TenantSql,
  userId: number,
  eventId: string,
): Promise<void> {
  // The webhook may have waited while the store left.
  if (!isChannelEnabled(ctx, tenant, "email") || isUninstalled(tenant)) return;
  if (followers.mayWelcome && !(await followers.mayWelcome(ctx, tenant, sql, userId))) {
    ctx.log.info("welcome_mail.skipped", { shop: tenant.shop, user_id: userId });
    return;
  }
  await enqueue(sql, {
    eventId: `${eventId}:welcome`,
    source: "storefront",
    eventType: "customer.welcomed",
    entityType: "customer",
    entityId: String(userId),
    payload: { user_id: userId, template: "welcome" },
    occurredAt: ctx.clock.now(),
    destinations: ["email"],
  });
}
