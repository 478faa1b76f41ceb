// Drains a window with a bulk operation: the storefront writes all customers into a file, which is
// read line by line.
import {
  BULK_OPERATION,
  BULK_OPERATION_RUN,
  bulkCustomers,
  CUSTOMERS_SAMPLE,
} from "../../../integrations/storefront/documents.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import { requireNoUserErrors, type UserError } from "../../tenants/storefront/admin-api.ts";
import {
  CUSTOMER_GID,
  fromGraphqlCustomer,
  type CustomerChange,
  type GraphqlCustomer,
} from "../customer-change.ts";
import { ask, commitPage, isWithheld, pause, type SyncRun } from "./sync-run.ts";
import { closeWindow, dayBeside, type SyncState } from "./sync-state.ts";

/** Enough that one of them has each field. */
const SAMPLE_SIZE = 50;
const FIRST_POLL_MS = 200;
const MAX_POLL_MS = 10_000;

/** The app has no bulk operation left in the store: others have to end first. */
const IN_USE: ReadonlySet<string> = new Set(["OPERATION_IN_PROGRESS", "LIMIT_REACHED"]);

type Started = {
  bulkOperationRunQuery?: {
    bulkOperation?: { id: string } | null;
    userErrors?: UserError[];
  } | null;
};
type Operation = {
  bulkOperation: {
    id: string;
    status: string;
    errorCode: string | null;
    objectCount?: string | number | null;
    url?: string | null;
  } | null;
};

/**
 * Whether the storefront answered and still started no bulk operation. Where it did not answer, or
 * another operation runs, a later run asks again.
 */
export function isBulkRefused(state: SyncState, error: unknown): error is OutboundError {
  if (state.bulk_id !== null || !(error instanceof OutboundError)) return false;
  const isAnswered = error.kind === "graphql" || error.kind === "malformed";
  return !error.retryable || (isAnswered && error.status !== 429);
}

/** True when the window is drained, false when the run has to stop before. */
export async function drainByBulk(run: SyncRun): Promise<boolean> {
  if (run.state.bulk_id === null) {
    const isPersonal = await mayReadFields(run);
    const lacks = run.state.lacks_fields || !isPersonal;
    const id = await start(run, isPersonal);
    await commitPage(run, [], { ...run.state, bulk_id: id, bulk_line: 0, lacks_fields: lacks });
  }
  const done = await waitUntilWritten(run);
  if (!done) return false;
  return !done.url || (await tryReadFile(run, done.url)) ? close(run) : false;
}

async function close(run: SyncRun): Promise<true> {
  await commitPage(run, [], closeWindow(run.state, run.ctx.clock.now()));
  return true;
}

/** A bulk operation does not say which fields are withheld, so some customers are read first. */
async function mayReadFields(run: SyncRun): Promise<boolean> {
  await ask(run, {
    document: CUSTOMERS_SAMPLE,
    variables: { first: Math.min(SAMPLE_SIZE, run.pageSize) },
  });
  return !(await isWithheld(run));
}

async function start(run: SyncRun, isPersonal: boolean): Promise<string> {
  const { window_start: since } = run.state;
  const day = since === null ? null : dayBeside(new Date(since), -1);
  const query = bulkCustomers(day, isPersonal);
  const { bulkOperationRunQuery: answer } = await ask<Started>(run, {
    document: BULK_OPERATION_RUN,
    variables: { query },
  });
  const errors = answer?.userErrors ?? [];
  if (errors.some(({ code }) => typeof code === "string" && IN_USE.has(code)))
    throw new OutboundError("storefront", "status", {
      status: 429,
      message: "other bulk operations run in this store; the next run tries again",
    });
  requireNoUserErrors("bulkOperationRunQuery", errors);
  if (!answer?.bulkOperation)
    throw new OutboundError("storefront", "malformed", {
      message: "the storefront started no bulk operation",
    });
  return answer.bulkOperation.id;
}

async function waitUntilWritten(run: SyncRun): Promise<{ url?: string | null } | null> {
  for (let wait = FIRST_POLL_MS; !run.signal.aborted; wait = Math.min(MAX_POLL_MS, wait * 1.5)) {
    const { bulkOperation } = await ask<Operation>(run, {
      document: BULK_OPERATION,
      variables: { id: run.state.bulk_id },
    });
    if (bulkOperation?.status === "COMPLETED") return requireResult(bulkOperation);
    if (!bulkOperation || !["CREATED", "RUNNING"].includes(bulkOperation.status))
      throw new OutboundError("storefront", "malformed", {
        status: 422,
        message:
          `the bulk operation ended as ${bulkOperation?.status ?? "unknown"} ${bulkOperation?.errorCode ?? ""}`.trim(),
      });
    await pause(wait, run.signal);
  }
  return null;
}

/** The address goes with the file after seven days, and is missing also where nothing was found. */
function requireResult<O extends NonNullable<Operation["bulkOperation"]>>(operation: O): O {
  if (operation.url || !(Number(operation.objectCount) > 0)) return operation;
  throw new OutboundError("storefront", "malformed", {
    status: 422,
    message: "the bulk operation's result has expired; the next run starts another one",
  });
}

/** A file that breaks off is read again by the next run; one that stays unreadable would be so forever. */
async function tryReadFile(run: SyncRun, url: string): Promise<boolean> {
  try {
    return await readFile(run, url);
  } catch (error) {
    if (error instanceof OutboundError && error.kind === "malformed")
      run.state = { ...run.state, bulk_failures: run.state.bulk_failures + 1 };
    throw error;
  }
}

/** Skips the lines that an earlier run committed. False: the run's time is over before the file is. */
async function readFile(run: SyncRun, url: string): Promise<boolean> {
  const { window_start: since, bulk_line: applied } = run.state;
  let line = 0;
  let changes: CustomerChange[] = [];
  const flush = async () => {
    await commitPage(run, changes, { ...run.state, bulk_line: line });
    changes = [];
  };
  for await (const text of run.ctx.storefront.bulkLines(run.tenant.shop, url, run.signal)) {
    line += 1;
    if (line <= applied || text.trim() === "") continue;
    const customer = parseLine(text);
    if (
      CUSTOMER_GID.test(customer.id) &&
      (since === null || !(new Date(customer.updatedAt) < new Date(since)))
    )
      changes.push(fromGraphqlCustomer(customer));
    if (changes.length >= run.pageSize) await flush();
    if (run.signal.aborted) break;
  }
  // Changes of a file that was not read to its end are applied too: each run gets a little further.
  if (changes.length > 0) await flush();
  return !run.signal.aborted;
}

/** A line that is null is no customer. */
function parseLine(text: string): GraphqlCustomer {
  try {
    return (JSON.parse(text) ?? {}) as GraphqlCustomer;
  } catch {
    throw new OutboundError("storefront", "malformed", {
      status: 502,
      message: "the bulk file has a line that is not JSON",
    });
  }
}
