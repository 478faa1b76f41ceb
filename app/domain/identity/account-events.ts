// Enqueues an account's event for the columns that the write matrix marks, or for the storefront alone.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import { enqueue } from "../bus/enqueue.ts";
import { channelsFor, type MatrixEvent } from "../inventory/write-matrix.ts";
import { storefrontOf } from "../tags/system-tags.ts";
import type { Tenant } from "../tenants/tenant.ts";

const EVENT_TYPES: Partial<Record<MatrixEvent, string>> = {
  email_signup: "customer.signed_up",
  federated_sign_in: "customer.signed_in",
  storefront_sign_in: "customer.signed_in",
  account_delete: "customer.deleted",
};

export const enqueueAccountEvent = (
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  event: MatrixEvent,
  userId: number,
): Promise<void> =>
  enqueueReference(ctx, sql, userId, {
    eventType: EVENT_TYPES[event] ?? "customer.updated",
    cause: event,
    destinations: channelsFor(event, tenant, ctx.channels),
  });

/** After a change that the write matrix has no event for: the storefront's channel writes what differs. */
export const enqueueForStorefront = (
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
): Promise<void> =>
  enqueueReference(ctx, sql, userId, {
    eventType: "customer.updated",
    cause: "address_verified",
    destinations: storefrontOf(ctx, tenant),
  });

type Reference = { eventType: string; cause: string; destinations: string[] };

/** The row is a reference; channels read the newest state when they run. */
async function enqueueReference(
  ctx: Ctx,
  sql: TenantSql,
  userId: number,
  { eventType, cause, destinations }: Reference,
): Promise<void> {
  await enqueue(sql, {
    eventId: ctx.random.orderedUuid(),
    source: "backend",
    eventType,
    entityType: "customer",
    entityId: String(userId),
    payload: { user_id: userId, cause },
    occurredAt: ctx.clock.now(),
    destinations,
  });
}
