// How the customers of a bulk run were chosen, for the list of runs: what was clicked, or the filter without
// its search text, which may be a person's name or address. A segment is named by the run's own column.
import { z } from "zod";
import { CustomerFilter } from "../list/customer-filter.ts";
import type { FixedCustomers } from "./selection.ts";

const KeptFilter = CustomerFilter.omit({ q: true });

/** `searched`: the list was narrowed by a search, too. */
export const Chosen = z.union([
  z.object({ ids: z.literal(true) }),
  z.object({ filter: KeptFilter, searched: z.boolean() }),
]);
export type Chosen = z.output<typeof Chosen>;

export function toChosen(selection: FixedCustomers): Chosen {
  if ("ids" in selection) return { ids: true };
  const { q, ...filter } = selection.filter;
  return { filter, searched: q !== undefined };
}
