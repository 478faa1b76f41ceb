// Puts a change of one customer's account on the bus.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../db.server.ts";
import { enqueue } from "../bus/enqueue.ts";

export type CustomerEvent = {
  /** Where the change was made. */
  source: "backend" | "storefront";
  eventType: string;
  /** Why it was made; analytics sends it as the `source` of its `crm_sync`. */
  cause: string;
  destinations: readonly string[];
};

/** The queue row is a reference: each channel reads the account's newest state when it runs. */
export async function enqueueCustomerEvent(
  ctx: Ctx,
  sql: TenantSql,
  userId: number,
  { source, eventType, cause, destinations }: CustomerEvent,
): Promise<void> {
  await enqueue(sql, {
    eventId: ctx.random.orderedUuid(),
    source,
    eventType,
    entityType: "customer",
    entityId: String(userId),
    payload: { user_id: userId, cause },
    occurredAt: ctx.clock.now(),
    destinations,
  });
}
