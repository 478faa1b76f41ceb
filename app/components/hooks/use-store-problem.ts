// Why the store did not give what a card shows. The card has a text of its own for a store that will answer again.
import type { SystemProblem } from "../../domain/bus/log/system-problem.ts";
import { useErrorMessage } from "./use-screen-action.ts";

/** What lasts until the merchant does something about it. */
const LASTING: readonly SystemProblem["code"][] = [
  "store_closed",
  "store_access_refused",
  "store_not_allowed",
  "not_installed",
];

export function useStoreProblem(): (problem: SystemProblem, passing: string) => string {
  const messageOf = useErrorMessage();
  return (problem, passing) => (LASTING.includes(problem.code) ? messageOf(problem) : passing);
}
