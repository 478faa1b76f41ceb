// Enqueues a person's changed consents for web analytics, the store and Shopify Flow.
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../db.server.ts";
import { FLOW_CHANNEL, keepEnabled } from "../../bus/channel.ts";
import { enqueue } from "../../bus/enqueue.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { toConsentChanges } from "../announce-decisions.ts";
import { decidesSubscription, SALE_OPT_OUT } from "../consent-types.ts";
import type { ConsentEntry } from "../record-consent.ts";
import type { ConsentChange } from "./plan-batch.ts";

/**
 * The store keeps decisions about marketing by mail, and objections to the sale of data (channels/
 * marketing-consent.ts). Any other choice about tracking reaches it through the browser.
 */
const concernsStore = (entry: ConsentEntry): boolean =>
  entry.consentType === "marketing" &&
  (decidesSubscription(entry) ||
    entry.method === SALE_OPT_OUT ||
    (entry.gpc === true && entry.action === "revoked"));

/**
 * Enqueues for web analytics (write matrix "Consent update"), for the storefront when it stores this decision,
 * and for Shopify Flow.
 */
export async function enqueueConsent(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
  { cause, traceParent, entries }: ConsentChange,
): Promise<void> {
  const isForStore = entries.some(concernsStore);
  const wanted = ["web_analytics", ...(isForStore ? ["storefront"] : []), FLOW_CHANNEL];
  const destinations = keepEnabled(ctx, tenant, wanted);
  if (destinations.length === 0) return;
  await enqueue(sql, {
    eventId: ctx.random.uuid(),
    source: "backend",
    eventType: "customer.consent_updated",
    entityType: "customer",
    entityId: String(userId),
    payload: {
      user_id: userId,
      cause: "consent_update",
      method: cause.method,
      ...(destinations.includes(FLOW_CHANNEL) && {
        consents: toConsentChanges(entries),
      }),
      ...(cause.gaSessionId && { ga_session_id: cause.gaSessionId }),
    },
    occurredAt: ctx.clock.now(),
    destinations,
    traceParent,
  });
}
