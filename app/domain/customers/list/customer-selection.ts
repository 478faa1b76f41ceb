// The customers that an export or a bulk change means: the selected ones, or all of a filter.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { CustomerFilter } from "./customer-filter.ts";
import { conditionOf, prepareFilter, type Condition } from "./filter-condition.ts";

const MAX_NAMED = 1_000;

export const CustomerSelection = z.union([
  z.object({ ids: z.array(z.number().int().positive().max(2_147_483_647)).min(1).max(MAX_NAMED) }),
  z.object({ filter: CustomerFilter }),
]);
export type CustomerSelection = z.output<typeof CustomerSelection>;

/**
 * From the query of a download: `ids` separated by commas, or the filter of the list. Null for invalid
 * ids: a file of all customers would not be what was meant.
 */
export function readSelection(query: URLSearchParams): CustomerSelection | null {
  const ids = query.get("ids")?.split(",").map(Number);
  const selection = ids ? { ids } : { filter: Object.fromEntries(query) };
  return CustomerSelection.safeParse(selection).data ?? null;
}

/** Over `storefront_users u`; values from `$<first>`. */
export async function selectionOf(
  ctx: Ctx,
  tenant: Tenant,
  selection: CustomerSelection,
  first: number,
): Promise<Condition> {
  if ("ids" in selection)
    return {
      sql: `u.shop = $1 AND u.status <> 'deleted' AND u.id = ANY($${first}::int[])`,
      values: [selection.ids],
    };
  return conditionOf(await prepareFilter(ctx, tenant, selection.filter), first);
}
