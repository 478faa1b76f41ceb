// The data of the customer list for one URL.
import type { Ctx } from "../../../context.server.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { hasFilters, readFilter } from "./customer-filter.ts";
import { readChoicesAndCounts } from "./filter-choices.ts";
import { prepareFilter } from "./filter-condition.ts";
import { listCustomers, SORTS, type Sort } from "./list-customers.ts";
import { readSyncProgress } from "../sync/sync-request.ts";

const PAGE = 50;

export async function readCustomerList(ctx: Ctx, tenant: Tenant, query: URLSearchParams) {
  const filter = readFilter(query);
  const sort: Sort = SORTS.find((known) => known === query.get("sort")) ?? "updated desc";
  const ready = await prepareFilter(ctx, tenant, filter);
  const [page, { choices, runs, segments, counts }] = await Promise.all([
    listCustomers(ctx, tenant, {
      filter: ready,
      sort,
      limit: PAGE,
      after: query.get("after"),
      before: query.get("before"),
    }),
    readChoicesAndCounts(ctx, tenant, ready),
  ]);
  const isEmpty = page.customers.length === 0 && filter.q === undefined && !hasFilters(filter);
  return {
    filter,
    sort,
    page,
    counts,
    choices,
    segments,
    /** The segment that was opened; its filter may have been changed here since. */
    segment: segments.find(({ id }) => id === query.get("segment"))?.id ?? null,
    runs,
    currency: currencyOf(tenant),
    sync: isEmpty ? await readSyncProgress(ctx, tenant) : null,
  };
}

/** The currency with its decimals, which browsers and Node may know differently. Null until it is read. */
export function currencyOf({ connection: { currency } }: Tenant) {
  if (currency === undefined) return null;
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return { code: currency, decimals: format.resolvedOptions().maximumFractionDigits ?? 2 };
}
