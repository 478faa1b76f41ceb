// Runs the privacy requests of one region, one at a time per process: they walk whole tables. A bulk
// erasure makes thousands of them, which wait until no other is due, and the stores take turns.
import type { Ctx } from "../../../context.server.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { isDatabaseAway } from "../../../runtime/database/postgres-errors.ts";
import { LeaseLost } from "../../../runtime/database/queue/lease.ts";
import { startWorkQueue, type WorkQueue } from "../../../runtime/database/queue/work-queue.ts";
import { orFailAfter } from "../../../runtime/deadlines/or-fail-after.ts";
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import { findTenant } from "../../tenants/tenant.ts";
import { redactCustomer } from "../erasure/customer-redact.ts";
import { answerDataRequest } from "../export/data-request.ts";
import {
  Reschedule,
  claimInTurns,
  finishPrivacyRequest,
  requeuePrivacyRequest,
  postponePrivacyRequest,
  PRIVACY_LEASE_SECONDS,
  PRIVACY_NOTIFICATION,
  releasePrivacyRequests,
  renewPrivacyLeases,
  type PrivacyRequest,
} from "./privacy-requests.ts";
import { redactShop } from "../erasure/shop-redact.ts";

const STOP_WAIT_MS = 10_000;
/**
 * Of one pass. What it has erased is erased, so the next one goes on behind it. Without a limit the
 * lease of a pass that never ends would be renewed for ever, and no other request would begin.
 */
const PASS_MS = 30 * 60_000;

export function startPrivacyWorker(
  ctx: Ctx,
  database: Database,
  { passMs = PASS_MS }: { passMs?: number } = {},
): Promise<WorkQueue> {
  return startWorkQueue<PrivacyRequest>({
    name: "privacy_requests",
    database,
    notification: PRIVACY_NOTIFICATION,
    pollMs: ctx.config.WORKER_POLL_MS,
    leaseSeconds: PRIVACY_LEASE_SECONDS,
    concurrency: 1,
    stopWaitMs: STOP_WAIT_MS,
    log: ctx.log,
    claim: claimInTurns(database),
    renew: (items) => renewPrivacyLeases(database, items),
    release: (items) => releasePrivacyRequests(database, items),
    work: (request) => workOn(ctx, database, request, passMs),
  });
}

async function workOn(
  ctx: Ctx,
  database: Database,
  request: PrivacyRequest,
  passMs: number,
): Promise<void> {
  const about = { shop: request.shop, kind: request.kind, request_id: request.id };
  try {
    // A pass that is given up finds its lease lost when it wants to write.
    await orFailAfter(passMs, perform(ctx, database, request), outOfTime);
    ctx.log.info("privacy_request.worked", about);
  } catch (error) {
    // Without the database or the lease the row cannot be settled: it returns when the lease expires.
    if (error instanceof LeaseLost || isDatabaseAway(error)) throw error;
    if (error instanceof Reschedule)
      return await requeuePrivacyRequest(database, request, error.delayMs);
    const reason = reasonOf(error);
    const state = await postponePrivacyRequest(database, request, reason);
    ctx.log.warn(state === "failed" ? "privacy_request.given_up" : "privacy_request.postponed", {
      ...about,
      reason,
    });
  }
}

const outOfTime = () => Object.assign(new Error("the pass did not end"), { code: "out_of_time" });

async function perform(ctx: Ctx, database: Database, request: PrivacyRequest): Promise<void> {
  if (request.kind === "shop_redact") return redactShop(ctx, database, request);
  const tenant = await findTenant(ctx, request.shop);
  if (!tenant)
    return finishPrivacyRequest(database.forTenant(request.home).sql, request, {
      state: "done",
      evidence: { outcome: "the store is not known here any more" },
    });
  // The store has left this cell since the request was claimed here: its row is worked on where the store is. A
  // search here would find nothing of the person, and prove an erasure that was not made.
  if (tenant.region !== database.region) throw new LeaseLost(`privacy_requests ${request.id}`);
  return request.kind === "data_request"
    ? answerDataRequest(ctx, tenant, request)
    : redactCustomer(ctx, database, tenant, request);
}

/** Never the text of a response: other systems repeat what was sent, which is personal data. */
function reasonOf(error: unknown): string {
  if (error instanceof OutboundError)
    return `${error.system}: ${error.kind}${error.status ? ` ${error.status}` : ""}`;
  if (isAppError(error)) return error.code;
  const { code, message } = error as { code?: unknown; message?: string };
  if (typeof code === "string") return `error ${code}`;
  return message?.startsWith("residual in ") ? message : "internal_error";
}
