// One delivery of a customer at a time per channel: two at once would both find nothing and both create it.
import type { Ctx } from "../../context.server.ts";
import { deleteKeyIfHeld, KEYS, putKeyIfAbsent } from "../../runtime/kv.ts";
import { Deferred, type DeliveryResult, type QueueItem } from "../bus/channel.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { userIdOf } from "./item-customer.ts";

/** As long as one call may take: a dead worker must not hold its customer for longer. */
const LEASE_SECONDS = 15;
const BUSY_RETRY_MS = 500;

export async function withCustomerLease(ctx: Ctx, item: QueueItem, tenant: Tenant, channel: string, work: () => Promise<DeliveryResult>): Promise<DeliveryResult> {
  const { sql } = dataOf(ctx, tenant);
  const key = KEYS.lease(`${channel}_customer:${userIdOf(item)}`);
  if (!(await putKeyIfAbsent(sql, key, item.attemptToken, LEASE_SECONDS))) throw new Deferred("another delivery of this customer is under way", BUSY_RETRY_MS);
  try {
    return await work();
  } finally {
    await deleteKeyIfHeld(sql, key, item.attemptToken);
  }
}
