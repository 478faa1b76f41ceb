// How many customers a store has and how many a filter shows: exact up to a bound, because a count
// costs what it counts.
import type { Ctx } from "../../../context.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import {
  conditionOf,
  isKnownToBeMany,
  type Condition,
  type ReadyFilter,
} from "./filter-condition.ts";
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

export type CountRow = { total: number; matching: number | null };

const isNarrowed = ({ matches, filter }: ReadyFilter) => matches !== null || hasFilters(filter);
// The texts of a search are compared one by one.
const boundOf = ({ matches }: ReadyFilter) => (matches === null ? MAX_COUNTED : MAX_MATCHES);

/** The columns of a `CountRow`; values from `$<first>`. */
export function countColumns(ready: ReadyFilter, first: number): Condition {
  const total = `${countOf(EVERYBODY, MAX_COUNTED)} AS total`;
  if (!isNarrowed(ready) || isKnownToBeMany(ready))
    return { sql: `${total}, NULL::int AS matching`, values: [] };
  const { sql, values } = conditionOf(ready, first);
  return { sql: `${total}, ${countOf(sql, boundOf(ready))} AS matching`, values };
}

export function toCounts(ready: ReadyFilter, row: CountRow | undefined): CustomerCounts {
  const total = toCounted(row?.total ?? 0, MAX_COUNTED);
  if (isKnownToBeMany(ready)) return { total, matching: { count: MAX_MATCHES, isMore: true } };
  return {
    total,
    matching: isNarrowed(ready) ? toCounted(row?.matching ?? 0, boundOf(ready)) : total,
  };
}

export async function countCustomers(
  ctx: Ctx,
  tenant: Tenant,
  ready: ReadyFilter,
): Promise<CustomerCounts> {
  const { sql, values } = countColumns(ready, 2);
  const [row] = await dataOf(ctx, tenant).sql<CountRow>(`SELECT ${sql}`, values);
  return toCounts(ready, row);
}
