// Enqueues an account's event for the columns that the write matrix marks, or for the storefront alone.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import { enqueueCustomerEvent } from "../customers/enqueue-customer-event.ts";
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
  enqueueCustomerEvent(ctx, sql, userId, {
    source: "backend",
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
  enqueueCustomerEvent(ctx, sql, userId, {
    source: "backend",
    eventType: "customer.updated",
    cause: "address_verified",
    destinations: storefrontOf(ctx, tenant),
  });
