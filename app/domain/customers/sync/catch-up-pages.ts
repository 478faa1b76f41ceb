// Drains a window page by page, newest first. A customer that changes meanwhile moves to the front,
// past the window's end, and belongs to the next window; applying a state newer than the window is
// harmless.
import { CUSTOMERS_PAGE } from "../../../integrations/storefront-documents.ts";
import { fromGraphqlCustomer, type GraphqlCustomer } from "../customer-change.ts";
import { ask, commitPage, isWithheld, type SyncRun } from "./sync-run.ts";
import { closeWindow, dayBeside, type SyncState } from "./sync-state.ts";

type Page = {
  customers: {
    nodes: GraphqlCustomer[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
};

/** True when the window is drained; false when the run has to stop or must continue in bulk. */
export async function drainByPages(run: SyncRun): Promise<boolean> {
  const since = new Date(run.state.window_start ?? 0);
  while (!run.signal.aborted) {
    const { state } = run;
    const query = `updated_at:>='${dayBeside(since, -1)}' AND updated_at:<='${state.until_day}'`;
    const readAt = run.ctx.clock.now();
    const { customers } = await ask<Page>(run, {
      document: CUSTOMERS_PAGE,
      variables: { first: run.pageSize, after: state.cursor, query },
    });
    const { nodes, pageInfo } = customers;
    // The filter compares whole days: the exact start of the window is applied here.
    const inside = nodes.filter(({ updatedAt }) => new Date(updatedAt) >= since);
    const isDrained = inside.length < nodes.length || !pageInfo.hasNextPage;
    const oldest = nodes.at(-1);
    const next =
      isDrained || !oldest
        ? closeWindow(state, run.ctx.clock.now())
        : goOn(run, state, nodes.length, pageInfo.endCursor, new Date(oldest.updatedAt));
    next.lacks_fields ||= await isWithheld(run);
    const changes = inside.map((customer) => ({ ...fromGraphqlCustomer(customer), readAt }));
    await commitPage(run, changes, next);
    if (isDrained) return true;
    if (next.mode === "bulk") return false;
  }
  return false;
}

/**
 * At the end of paging a new query starts below the last day seen; within a single day only bulk
 * continues.
 */
function goOn(
  run: SyncRun,
  state: SyncState,
  read: number,
  cursor: string | null,
  oldest: Date,
): SyncState {
  const objects = state.objects + read;
  if (objects + run.pageSize <= run.maxObjects) return { ...state, cursor, objects };
  const day = dayBeside(oldest, 1);
  if (day < (state.until_day ?? "")) return { ...state, cursor: null, objects: 0, until_day: day };
  return { ...state, cursor: null, objects: 0, mode: "bulk" };
}
