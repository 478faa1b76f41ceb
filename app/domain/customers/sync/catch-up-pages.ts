// Drains a window page by page, newest first. A customer that changes meanwhile moves to the front,
// past the window's end, and belongs to the next window; applying a state newer than the window is
// harmless.
import { CUSTOMERS_PAGE } from "../../../integrations/storefront/documents.ts";
import { readWhole } from "../../../integrations/storefront/read-whole.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import {
  fromGraphqlCustomer,
  isReadable,
  type CustomerChange,
  type GraphqlCustomer,
} from "../customer-change.ts";
import { ask, commitPage, isWithheld, type SyncRun } from "./sync-run.ts";
import { closeWindow, dayBeside, type SyncState } from "./sync-state.ts";

type Page = {
  customers: {
    nodes: (GraphqlCustomer | null)[];
    pageInfo?: { hasNextPage?: boolean; endCursor?: string | null };
  };
};

/** A node that is null belongs to nobody, and counts as a customer that cannot be read. */
const NO_CUSTOMER = {} as GraphqlCustomer;

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
    const { hasNextPage, endCursor, changes } = readWhole("customers", () => ({
      // Without `pageInfo` another page may follow a full one.
      hasNextPage: customers.pageInfo?.hasNextPage ?? customers.nodes.length >= run.pageSize,
      endCursor: customers.pageInfo?.endCursor ?? null,
      changes: customers.nodes.map((customer) => ({
        ...fromGraphqlCustomer(customer ?? NO_CUSTOMER),
        readAt,
      })),
    }));
    // The filter compares whole days: the exact start of the window is applied here. A customer without a
    // readable time is inside, so that it counts as failed and does not end the window.
    const inside = changes.filter(({ changedAt }) => !(changedAt < since));
    const isDrained = inside.length < changes.length || !hasNextPage;
    if (!isDrained) requireProgress(state, endCursor);
    const next = isDrained
      ? closeWindow(state, run.ctx.clock.now())
      : goOn(run, state, changes, endCursor);
    next.lacks_fields ||= await isWithheld(run);
    await commitPage(run, inside, next);
    if (isDrained) return true;
    if (next.mode === "bulk") return false;
  }
  return false;
}

/** A cursor that leads nowhere, or to the same page, would be asked for until the run's time is over. */
function requireProgress(state: SyncState, cursor: string | null): void {
  if (cursor !== null && cursor !== state.cursor) return;
  // As a refusal: the next run reads the window from its beginning instead of from this cursor.
  throw new OutboundError("storefront", "malformed", {
    status: 422,
    message: "the storefront says that more customers follow, and not where",
  });
}

/**
 * At the end of paging a new query starts below the last day seen; within a single day only bulk
 * continues.
 */
function goOn(
  run: SyncRun,
  state: SyncState,
  changes: readonly CustomerChange[],
  cursor: string | null,
): SyncState {
  const objects = state.objects + changes.length;
  if (objects + run.pageSize <= run.maxObjects) return { ...state, cursor, objects };
  const oldest = changes.findLast(isReadable);
  const day = oldest ? dayBeside(oldest.changedAt, 1) : null;
  if (day !== null && day < (state.until_day ?? ""))
    return { ...state, cursor: null, objects: 0, until_day: day };
  return { ...state, cursor: null, objects: 0, mode: "bulk" };
}
