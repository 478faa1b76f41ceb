// How many customers a store has and how many a filter shows: exact up to a bound, because a count
// costs what it counts.
import type { Ctx } from "../../../context.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { conditionOf, isKnownToBeMany, type ReadyFilter } from "./filter-condition.ts";
import { hasFilters } from "./customer-filter.ts";
import { MAX_MATCHES } from "./customer-search.ts";

export const MAX_COUNTED = 10_000;

/** `isMore`: there are more than `count`. */
export type Counted = { count: number; isMore: boolean };
export type CustomerCounts = { matching: Counted; total: Counted };

const toCounted = (count: number, bound: number): Counted => ({
  count: Math.min(count, bound),
  isMore: count > bound,
});
const countOf = (condition: string, bound: number) =>
  `(SELECT count(*)::int FROM (
    SELECT 1 FROM storefront_users u WHERE ${condition} LIMIT ${bound + 1}
  ) AS counted)`;

const EVERYBODY = "u.shop = $1 AND u.status <> 'deleted'";

export async function countCustomers(
  ctx: Ctx,
  tenant: Tenant,
  ready: ReadyFilter,
): Promise<CustomerCounts> {
  const isNarrowed = ready.matches !== null || hasFilters(ready.filter);
  const isMany = isKnownToBeMany(ready);
  // The texts of a search are compared one by one.
  const bound = ready.matches === null ? MAX_COUNTED : MAX_MATCHES;
  const condition = conditionOf(ready, 2);
  const [row] = await dataOf(ctx, tenant).sql<{ total: number; matching: number | null }>(
    isNarrowed && !isMany
      ? `SELECT ${countOf(EVERYBODY, MAX_COUNTED)} AS total, ${countOf(condition.sql, bound)} AS matching`
      : `SELECT ${countOf(EVERYBODY, MAX_COUNTED)} AS total, NULL::int AS matching`,
    isNarrowed && !isMany ? condition.values : [],
  );
  const total = toCounted(row?.total ?? 0, MAX_COUNTED);
  if (isMany) return { total, matching: { count: MAX_MATCHES, isMore: true } };
  return { total, matching: isNarrowed ? toCounted(row?.matching ?? 0, bound) : total };
}
