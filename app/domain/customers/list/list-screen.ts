// The data of the customer list for one URL.
import type { Ctx } from "../../../context.server.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { readFilter } from "./customer-filter.ts";
import { listViews } from "./customer-views.ts";
import { readFilterChoices } from "./filter-choices.ts";
import { listCustomers, SORTS, type Sort } from "./list-customers.ts";
import { readSyncProgress } from "../sync/sync-request.ts";
import { findOpenTagRun } from "./tag-runs.ts";

const PAGE = 50;

export async function readCustomerList(ctx: Ctx, tenant: Tenant, query: URLSearchParams) {
  const filter = readFilter(query);
  const sort: Sort = SORTS.find((known) => known === query.get("sort")) ?? "updated desc";
  const [page, choices, views, run] = await Promise.all([
    listCustomers(ctx, tenant, {
      filter,
      sort,
      limit: PAGE,
      after: query.get("after"),
      before: query.get("before"),
    }),
    readFilterChoices(ctx, tenant),
    listViews(ctx, tenant),
    findOpenTagRun(ctx, tenant),
  ]);
  return {
    filter,
    sort,
    page,
    choices,
    views,
    run,
    sync: page.customers.length === 0 ? await readSyncProgress(ctx, tenant) : null,
  };
}
