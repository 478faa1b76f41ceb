// The delivery log of the merchant: its filters by event are the bus's own, a customer is found here.
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser } from "../../db.server.ts";
import type { AttemptFilters } from "../bus/log/attempt-filters.ts";
import { listAttempts, type AttemptPage } from "../bus/log/attempt-list.ts";
import { CustomerFilter } from "../customers/list/customer-filter.ts";
import { conditionOf, prepareFilter } from "../customers/list/filter-condition.ts";
import { ENTITY_TYPES } from "../events/event-types.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

/** More matches than this are no answer to "what happened with this customer". */
const MAX_CUSTOMERS = 20;

export type DeliveryLogPage = AttemptPage & { customers: "all" | "found" | "none" | "too_many" };

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

type Found = Columns<StorefrontUser, "id" | "storefront_customer_gid">;

/** By id here or in the store, else by name or address. */
async function findCustomers(ctx: Ctx, tenant: Tenant, text: string): Promise<Found[]> {
  const { sql } = dataOf(ctx, tenant);
  if (/^\d{1,20}$/.test(text) || text.startsWith("gid://")) {
    const digits = text.slice(text.lastIndexOf("/") + 1);
    const own = /^\d{1,9}$/.test(text) ? Number(text) : null;
    return sql<Found>(
      `SELECT id, storefront_customer_gid FROM storefront_users WHERE shop = $1
        AND (id = $2::int OR storefront_customer_gid = $3)`,
      [own, `gid://shopify/Customer/${digits}`],
    );
  }
  const search = conditionOf(
    await prepareFilter(ctx, tenant, CustomerFilter.parse({ q: text })),
    2,
  );
  return sql<Found>(
    `SELECT u.id, u.storefront_customer_gid FROM storefront_users u WHERE ${search.sql}
      LIMIT ${MAX_CUSTOMERS + 1}`,
    search.values,
  );
}
