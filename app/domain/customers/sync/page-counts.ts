// What became of the customers of a sync.
import type { AppliedChange } from "../from-storefront.ts";

export type PageCounts = {
  processed: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
};

export const noCounts = (): PageCounts => ({
  processed: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
});

/** The count to which an applied change belongs. */
export function countOf(
  outcome: AppliedChange["outcome"],
): keyof Pick<PageCounts, "created" | "updated" | "unchanged"> {
  if (outcome === "created") return "created";
  return outcome === "updated" || outcome === "echo" ? "updated" : "unchanged";
}
