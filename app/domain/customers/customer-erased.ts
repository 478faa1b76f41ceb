// Sends Shopify Flow that a customer's personal data is gone.
import { hash } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import { flowChannels } from "../bus/channel.ts";
import { enqueue } from "../bus/enqueue.ts";
import type { Tenant } from "../tenants/tenant.ts";

/**
 * Enqueues nothing unless the store uses Shopify Flow. Once for each account: the event's id follows
 * from it, so a repeated erasure, or one after the shopper's own deletion, adds nothing.
 */
export async function enqueueErased(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userIds: readonly number[],
): Promise<void> {
  const destinations = flowChannels(ctx, tenant);
  if (destinations.length === 0) return;
  for (const userId of userIds)
    await enqueue(sql, {
      eventId: eventIdOf(tenant.shop, userId),
      source: "backend",
      eventType: "customer.erased",
      entityType: "customer",
      entityId: String(userId),
      payload: { user_id: userId },
      occurredAt: ctx.clock.now(),
      destinations,
    });
}

/** A UUID of the account (RFC 9562, version 8). */
function eventIdOf(shop: string, userId: number): string {
  const digits = hash("sha256", `${shop}/erased/${userId}`);
  const parts = [
    [0, 8],
    [8, 12],
    [13, 16],
    [17, 20],
    [20, 32],
  ] as const;
  const [a, b, c, d, e] = parts.map(([from, to]) => digits.slice(from, to));
  return `${a}-${b}-8${c}-8${d}-${e}`;
}
