// Works the privacy requests of one region, one at a time per process: they are rare, and they walk whole tables.
import type { Ctx } from "../../context.server.ts";
import { isDatabaseAway, type Database } from "../../runtime/database.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
import { findTenant } from "../tenants/tenant.ts";
import { redactCustomer } from "./customer-redact.ts";
import { answerDataRequest } from "./data-request.ts";
import {
  AnotherPass,
  claimPrivacyRequests,
  finishPrivacyRequest,
  LeaseLost,
  passPrivacyRequest,
  postponePrivacyRequest,
  PRIVACY_LEASE_SECONDS,
  PRIVACY_NOTIFICATION,
  renewPrivacyLease,
  type PrivacyRequest,
} from "./privacy-requests.ts";
import { redactShop } from "./shop-redact.ts";

const STOP_WAIT_MS = 10_000;
const RENEW_MS = (PRIVACY_LEASE_SECONDS * 1_000) / 3;

export async function startPrivacyWorker(
  ctx: Ctx,
  database: Database,
): Promise<{ stop(): Promise<void> }> {
  let running: Promise<void> | null = null;
  let isWanted = false;
  let stopping = false;

  function wake(): void {
    isWanted = true;
    if (!stopping && !running)
      running = drain().finally(() => {
        running = null;
        if (isWanted && !stopping) wake();
      });
  }

  async function drain(): Promise<void> {
    try {
      while (isWanted && !stopping) {
        isWanted = false;
        const [request] = await claimPrivacyRequests(database, 1);
        if (!request) return;
        isWanted = true;
        if (stopping) await passPrivacyRequest(database, request, 0);
        else await work(ctx, database, request);
      }
    } catch (error) {
      isWanted = false;
      if (!isDatabaseAway(error)) ctx.log.failed("privacy_requests.not_claimed", error);
    }
  }

  const listener = await database.listen(PRIVACY_NOTIFICATION, wake);
  const poll = setInterval(wake, ctx.config.WORKER_POLL_MS);
  wake();
  return {
    async stop() {
      stopping = true;
      clearInterval(poll);
      await listener.stop();
      // A long one is left to its lease: whoever takes it next goes on where it stands.
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([
        running,
        new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_WAIT_MS))),
      ]);
      clearTimeout(timer);
    },
  };
}

async function work(ctx: Ctx, database: Database, request: PrivacyRequest): Promise<void> {
  const about = { shop: request.shop, kind: request.kind, request_id: request.id };
  const renew = setInterval(
    () => void renewPrivacyLease(database, request).catch(() => false),
    RENEW_MS,
  );
  try {
    await perform(ctx, database, request);
    ctx.log.done("privacy_request.worked", about);
  } catch (error) {
    // Without the database, or with the lease gone, nothing is settled here: the row comes back by itself.
    if (error instanceof LeaseLost || isDatabaseAway(error)) return;
    if (error instanceof AnotherPass)
      return await passPrivacyRequest(database, request, error.delayMs).catch(() => undefined);
    const reason = reasonOf(error);
    const state = await postponePrivacyRequest(database, request, reason).catch(
      () => "received" as const,
    );
    ctx.log.troubled(
      state === "failed" ? "privacy_request.given_up" : "privacy_request.postponed",
      { ...about, reason },
    );
  } finally {
    clearInterval(renew);
  }
}

async function perform(ctx: Ctx, database: Database, request: PrivacyRequest): Promise<void> {
  if (request.kind === "shop_redact") return redactShop(ctx, database, request);
  const tenant = await findTenant(ctx, request.shop);
  if (!tenant)
    return finishPrivacyRequest(database.forTenant(request.home).sql, request, "done", {
      outcome: "the store is not known here any more",
    });
  return request.kind === "data_request"
    ? answerDataRequest(ctx, tenant, request)
    : redactCustomer(ctx, database, tenant, request);
}

/** Never the words of an answer: other systems repeat what they were sent, and that is the person. */
function reasonOf(error: unknown): string {
  if (error instanceof OutboundError)
    return `${error.system}: ${error.kind}${error.status ? ` ${error.status}` : ""}`;
  if (isAppError(error)) return error.code;
  const { code, message } = error as { code?: unknown; message?: string };
  if (typeof code === "string") return `error ${code}`;
  return message?.startsWith("residual in ") ? message : "internal_error";
}
