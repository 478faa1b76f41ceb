// One delivery of a customer at a time per channel: two concurrent ones would both find no item and
// both create it.
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../../context.server.ts";
import { createGroupCommit, type GroupCommit } from "../../runtime/database/group-commit.ts";
import { deleteKeysIfHeld, putKeysIfAbsent } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { endLeases, putLeasesIfFree, type LeaseKey } from "../../runtime/database/queue/lease.ts";
import { Deferred, type DeliveryResult, type QueueItem } from "../bus/channel.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { findUserId } from "./item-customer.ts";
import { UNKNOWN } from "./nothing-to-send.ts";

/** The maximum duration of one call: a dead worker must not block its customer for longer. */
const LEASE_SECONDS = 15;
const BUSY_RETRY_MS = 500;
const WAIT_STEP_MS = 40;
const MAX_WAIT_MS = 2_000;
/** A batch is one call and some statements around it. */
const BATCH_LEASE_SECONDS = 30;

type Leases = { taking: GroupCommit<LeaseKey, boolean>; ending: GroupCommit<LeaseKey, void> };
const leasesByTenant = new WeakMap<Tenant, Leases>();

/** Deliveries of the store that begin at the same time share a commit, and so do those that end. */
function leasesOf(ctx: Ctx, tenant: Tenant): Leases {
  const known = leasesByTenant.get(tenant);
  if (known) return known;
  const { sql } = dataOf(ctx, tenant);
  const made: Leases = {
    taking: createGroupCommit(async (wanted) => {
      // When two deliveries want one customer's lease, the first gets it.
      const first = wanted.filter(
        ({ key }, index) => wanted.findIndex((one) => one.key === key) === index,
      );
      const free = await putLeasesIfFree(sql, first, LEASE_SECONDS);
      return wanted.map((lease) => first.includes(lease) && free.has(lease.key));
    }),
    ending: createGroupCommit(async (held) => {
      await endLeases(sql, held);
      return held.map(() => undefined);
    }),
  };
  leasesByTenant.set(tenant, made);
  return made;
}

export async function withCustomerLease(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
  channel: string,
  work: (userId: number) => Promise<DeliveryResult>,
): Promise<DeliveryResult> {
  const userId = await findUserId(ctx, tenant, item);
  if (userId === null) return UNKNOWN;
  const { taking, ending } = leasesOf(ctx, tenant);
  const lease = { key: KEYS.customerLease(channel, userId), holder: item.attemptToken };
  // Waits here for a burst on one customer: through the queue each of its rows would return a
  // second later.
  for (let waitedMs = 0; !(await taking.add(lease)); waitedMs += WAIT_STEP_MS) {
    if (waitedMs >= MAX_WAIT_MS)
      throw new Deferred("another delivery of this customer is under way", BUSY_RETRY_MS);
    await delay(WAIT_STEP_MS);
  }
  try {
    return await work(userId);
  } finally {
    // Not awaited: a lease that could not be ended expires.
    ending.add(lease).catch(() => {});
  }
}

/** Processes the customers that no other delivery holds, and releases them. */
export async function withCustomerLeases<T>(
  ctx: Ctx,
  tenant: Tenant,
  channel: string,
  userIds: readonly number[],
  work: (free: number[]) => Promise<T>,
): Promise<T> {
  const { sql } = dataOf(ctx, tenant);
  const holder = ctx.random.uuid();
  const held = await putKeysIfAbsent(
    sql,
    userIds.map((id) => KEYS.customerLease(channel, id)),
    holder,
    BATCH_LEASE_SECONDS,
  );
  const keys = new Set(held);
  try {
    return await work(userIds.filter((id) => keys.has(KEYS.customerLease(channel, id))));
  } finally {
    await deleteKeysIfHeld(sql, held, holder);
  }
}
