// The delivery log of the merchant: its filters by event are the bus's own, a customer is found here.
import type { Ctx } from "../../context.server.ts";
import type { AttemptFilters } from "../bus/log/attempt-filters.ts";
import { listAttempts, type AttemptPage } from "../bus/log/attempt-list.ts";
import { ENTITY_TYPES } from "../events/event-types.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { findCustomers, MAX_CUSTOMERS, type CustomersMeant } from "./find-customers.ts";

export type DeliveryLogPage = AttemptPage & { customers: CustomersMeant };

export async function readDeliveryLog(
  ctx: Ctx,
  tenant: Tenant,
  filters: AttemptFilters,
  { limit, before }: { limit: number; before: number | null },
): Promise<DeliveryLogPage> {
  const page = { limit, before, types: ENTITY_TYPES };
  if (filters.customer === undefined)
    return { ...(await listAttempts(ctx, tenant, filters, page)), customers: "all" };
  const people = await findCustomers(ctx, tenant, filters.customer);
  if (people.length === 0 || people.length > MAX_CUSTOMERS)
    return {
      attempts: [],
      next: null,
      isCut: false,
      customers: people.length === 0 ? "none" : "too_many",
    };
  const customer = people.flatMap(({ id, storefront_customer_gid: gid }) => [
    String(id),
    ...(gid ? [gid] : []),
  ]);
  return {
    ...(await listAttempts(ctx, tenant, filters, { ...page, customer })),
    customers: "found",
  };
}
