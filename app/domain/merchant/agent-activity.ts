// The merchant's screen of what agents asked.
import type { Ctx } from "../../context.server.ts";
import type { ActivityFilters } from "../agent-activity/activity-filters.ts";
import {
  listActivity,
  readActivityMark,
  type ActivityPage,
} from "../agent-activity/activity-list.ts";
import { readActivityTotals, type ActivityTotals } from "../agent-activity/activity-totals.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { findCustomers, MAX_CUSTOMERS, type CustomersMeant } from "./find-customers.ts";

export type AgentActivityScreen = ActivityPage & {
  customers: CustomersMeant;
  agents: ActivityTotals["agents"];
  totals: Omit<ActivityTotals, "agents">;
  /** See `readActivityMark`: read first, so that nothing falls between it and the list. */
  mark: string;
};

export async function readAgentActivity(
  ctx: Ctx,
  tenant: Tenant,
  filters: ActivityFilters,
  page: { limit: number; after: string | null },
): Promise<AgentActivityScreen> {
  const mark = await readActivityMark(ctx, tenant);
  const [listed, { agents, ...totals }] = await Promise.all([
    listOf(ctx, tenant, filters, page),
    readActivityTotals(ctx, tenant),
  ]);
  return { ...listed, agents, totals, mark };
}

async function listOf(
  ctx: Ctx,
  tenant: Tenant,
  filters: ActivityFilters,
  page: { limit: number; after: string | null },
): Promise<ActivityPage & Pick<AgentActivityScreen, "customers">> {
  if (filters.customer === undefined)
    return { ...(await listActivity(ctx, tenant, filters, page)), customers: "all" };
  const people = await findCustomers(ctx, tenant, filters.customer);
  if (people.length === 0 || people.length > MAX_CUSTOMERS)
    return {
      activity: [],
      next: null,
      isCut: false,
      customers: people.length === 0 ? "none" : "too_many",
    };
  const customers = people.map(({ id }) => id);
  return {
    ...(await listActivity(ctx, tenant, filters, { ...page, customers })),
    customers: "found",
  };
}
