// Sends Shopify Flow the decisions that no other system gets as an event of its own: those of a sign-up, a
// sign-in and a verified address.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import { flowChannels } from "../bus/channel.ts";
import { enqueue } from "../bus/enqueue.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { ConsentEntry } from "./record-consent.ts";

type Decision = Pick<ConsentEntry, "consentType" | "action" | "method">;

/** The decisions as an event's payload has them. */
export const toConsentChanges = (decisions: readonly Decision[]) =>
  decisions.map(({ consentType, action }) => ({ consent_type: consentType, action }));

/** In the transaction that records them; they are of one person and one method. */
export async function announceDecisions(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
  decisions: readonly Decision[],
): Promise<void> {
  const destinations = flowChannels(ctx, tenant);
  const [first] = decisions;
  if (!first || destinations.length === 0) return;
  await enqueue(sql, {
    eventId: ctx.random.orderedUuid(),
    source: "backend",
    eventType: "customer.consent_updated",
    entityType: "customer",
    entityId: String(userId),
    payload: {
      user_id: userId,
      cause: "consent_update",
      method: first.method,
      consents: toConsentChanges(decisions),
    },
    occurredAt: ctx.clock.now(),
    destinations,
  });
}
