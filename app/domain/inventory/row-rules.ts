// The rules of all tables as one list, for what deletes by them.
import { dataSet, dataSetNames } from "./data-sets.ts";
import type { RowRule } from "./data-set.ts";

export type TableRule<R extends RowRule = RowRule> = R & { table: string };

const RULES: readonly TableRule[] = dataSetNames.flatMap((name) =>
  Object.entries(dataSet(name).tables).flatMap(([table, { rules = [] }]) =>
    rules.map((rule) => ({ ...rule, table })),
  ),
);

/** Rules that are applied to a whole region, with the same days for every store. */
export const REGION_RULES = RULES.filter((rule) => rule.sweep === "region");
/** Rules that are applied store by store. */
export const STORE_RULES = RULES.filter((rule) => rule.sweep !== "region");
