// The customers that a merchant means by a text in a filter.
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser } from "../../db.server.ts";
import { CustomerFilter } from "../customers/list/customer-filter.ts";
import { conditionOf, prepareFilter } from "../customers/list/filter-condition.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

/** More matches than this are no answer to "what happened with this customer". */
export const MAX_CUSTOMERS = 20;

/** What a filter by customer found; `all`: the filter is empty. */
export type CustomersMeant = "all" | "found" | "none" | "too_many";

type Found = Columns<StorefrontUser, "id" | "storefront_customer_gid">;

/** By id here or in the store, else by name or address: one more than the most that are meant. */
export async function findCustomers(ctx: Ctx, tenant: Tenant, text: string): Promise<Found[]> {
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
