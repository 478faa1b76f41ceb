// Events of commerce: analytics events of the person (SPEC "Emitted analytics events"), and consent
// log rows of actions under `consent_ap2`. Both inside the transaction of the action.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import type { HistoricTime } from "../../runtime/historic-time.ts";
import { FLOW_CHANNEL, keepEnabled } from "../bus/channel.ts";
import { enqueue } from "../bus/enqueue.ts";
import { recordConsent } from "../consent/record-consent.ts";
import type { Tenant } from "../tenants/tenant.ts";

const EVENT_TYPES = {
  ucp_mandate_created: "mandate.created",
  ucp_mandate_used: "mandate.used",
  ucp_checkout_created: "checkout.created",
  ucp_checkout_completed: "checkout.completed",
} as const;

/** What a checkout takes of a mandate. */
type UsedMandate = { mandate_id: string; amount: string; currency: string };

type CommerceEvent = {
  userId: number;
  name: keyof typeof EVENT_TYPES;
  params?: Record<string, string>;
  /** Of `ucp_mandate_used`, for Shopify Flow. */
  mandate?: UsedMandate;
};

export async function enqueueCommerceEvent(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  { userId, name, params = {}, mandate }: CommerceEvent,
): Promise<void> {
  const wanted = mandate ? ["web_analytics", FLOW_CHANNEL] : ["web_analytics"];
  const destinations = keepEnabled(ctx, tenant, wanted);
  if (destinations.length === 0) return;
  await enqueue(sql, {
    eventId: ctx.random.orderedUuid(),
    source: "backend",
    eventType: EVENT_TYPES[name],
    entityType: "customer",
    entityId: String(userId),
    payload: {
      user_id: userId,
      analytics: { name, params },
      ...(destinations.includes(FLOW_CHANNEL) && { mandate }),
    },
    occurredAt: ctx.clock.now(),
    destinations,
  });
}

type MandateAct = {
  action: "mandate_created" | "mandate_used";
  userId: number;
  mandateId: string;
  userAgent: string | null;
  /** Set only for the history of the demo store. */
  at?: HistoricTime | undefined;
};

/** Locks the tenant's consent chain until the commit: call it last. */
export async function recordMandate(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  { action, userId, mandateId, userAgent, at }: MandateAct,
): Promise<void> {
  await recordConsent(sql, tenant, [
    {
      userId,
      consentType: "ap2",
      action,
      method: "commerce",
      consentId: mandateId,
      userAgent,
      timestamp: ctx.clock.now().toISOString(),
      createdAt: at,
    },
  ]);
}
