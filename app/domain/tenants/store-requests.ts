// Work that was requested for a store and runs in the background. The request is stored, so it survives
// the page that made it and the process that runs it; it is deleted only when the work has ended.
import type { Ctx } from "../../context.server.ts";
import { PLATFORM } from "../../runtime/database/database.ts";
import { isPassingDatabaseError } from "../../runtime/database/postgres-errors.ts";
import {
  deleteKey,
  deleteKeyIfHeld,
  findKey,
  putKey,
  putKeyIfAbsent,
} from "../../runtime/database/kv.ts";
import type { Key } from "../../runtime/database/kv-keys.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
import { startWorkQueue, type WorkQueue } from "../../runtime/database/queue/work-queue.ts";
import { findTenant } from "./tenant.ts";

const LISTED = 50;
const STOP_WAIT_MS = 25_000;
const LEASE_SECONDS = 15;

/** `request_id` distinguishes a request from a later one for the same store. */
type StoreRequest = { shop: string; request_id: string };

export type StoreRequests = {
  /**
   * False when the store has such a request already. This one takes its place, so that what is worked on now, and may
   * have read what was there before, does not end it.
   */
  add(ctx: Ctx, shop: string): Promise<boolean>;
  isOpen(ctx: Ctx, shop: string): Promise<boolean>;
  /** Whether it is open and was made in the last `seconds`. */
  isRecent(ctx: Ctx, shop: string, seconds: number): Promise<boolean>;
  /** Ends a request that is done or no longer needed. */
  close(ctx: Ctx, shop: string): Promise<void>;
  /** The oldest first. */
  list(ctx: Ctx, limit: number): Promise<StoreRequest[]>;
  finish(ctx: Ctx, request: StoreRequest): Promise<void>;
};

const platform = (ctx: Ctx) => ctx.home.forTenant(PLATFORM);

export const storeRequests = (keyOf: (shop: string) => Key): StoreRequests => ({
  async add(ctx, shop) {
    const { sql } = platform(ctx);
    const request: StoreRequest = { shop, request_id: ctx.random.uuid() };
    if (await putKeyIfAbsent(sql, keyOf(shop), request)) return true;
    await putKey(sql, keyOf(shop), request);
    return false;
  },
  isOpen: async (ctx, shop) => (await findKey(platform(ctx).sql, keyOf(shop))) !== null,
  async isRecent(ctx, shop, seconds) {
    const after = new Date(ctx.clock.now().getTime() - seconds * 1_000);
    const found = await platform(ctx).prisma.kv.findFirst({
      select: { key: true },
      where: { key: keyOf(shop), updated_at: { gt: after } },
    });
    return found !== null;
  },
  close: (ctx, shop) => deleteKey(platform(ctx).sql, keyOf(shop)),
  async list(ctx, limit) {
    const rows = await platform(ctx).prisma.kv.findMany({
      select: { value: true },
      where: { key: { startsWith: keyOf("") } },
      orderBy: { updated_at: "asc" },
      take: limit,
    });
    return rows.map(({ value }) => value as StoreRequest);
  },
  async finish(ctx, request) {
    await deleteKeyIfHeld(platform(ctx).sql, keyOf(request.shop), request);
  },
});

type WorkerOptions = {
  /** The queue's name in log lines. */
  name: string;
  requests: StoreRequests;
  concurrency: number;
  /** How long an unfinished request rests before its next attempt. */
  retryMs: number;
  /** Resolves to false for a request that must stay. `stopping` is aborted when the process stops. */
  work(shop: string, stopping: AbortSignal): Promise<boolean>;
};

/**
 * Whether a request to write something to the platform is settled. Not while the platform does not answer, or
 * another process writes (`busy`). What it rejects, and a store that is not connected, is left to the scheduled run.
 */
export async function trySettle(
  ctx: Ctx,
  shop: string,
  notWritten: string,
  write: (ctx: Ctx, shop: string) => Promise<string>,
): Promise<boolean> {
  try {
    return (await write(ctx, shop)) !== "busy";
  } catch (error) {
    if (isPassingDatabaseError(error)) throw error;
    ctx.log.warn(notWritten, { shop, reason: (error as Error).message });
    return isAppError(error) || !(error instanceof OutboundError) || !error.retryable;
  }
}

/** How long a request rests when its store belongs to a cell that other processes serve. */
const ELSEWHERE_MS = 15_000;

async function isServedElsewhere(ctx: Ctx, shop: string): Promise<boolean> {
  const tenant = ctx.config.servedCells && (await findTenant(ctx, shop));
  return tenant !== null && !ctx.regions.serves(tenant.region);
}

/** Two processes may work on one store at once: the work itself must be safe to repeat. */
export function startRequestWorker(
  ctx: Ctx,
  { name, requests, concurrency, retryMs, work }: WorkerOptions,
): Promise<WorkQueue> {
  const inWork = new Set<string>();
  /** When an unfinished request is due for a retry, by the monotonic clock. */
  const nextAttemptAt = new Map<string, number>();
  return startWorkQueue<StoreRequest>({
    name,
    database: ctx.home,
    notification: null,
    pollMs: ctx.config.WORKER_POLL_MS,
    leaseSeconds: LEASE_SECONDS,
    concurrency,
    stopWaitMs: STOP_WAIT_MS,
    log: ctx.log,
    async claim(limit) {
      for (const [shop, at] of nextAttemptAt)
        if (at <= performance.now()) nextAttemptAt.delete(shop);
      // Resting requests come first in the list and must not hide the others, so as many more are read.
      const due = (await requests.list(ctx, LISTED + inWork.size + nextAttemptAt.size))
        .filter(({ shop }) => !inWork.has(shop) && !nextAttemptAt.has(shop))
        .slice(0, limit);
      for (const { shop } of due) inWork.add(shop);
      return due;
    },
    async release(released) {
      for (const { shop } of released) inWork.delete(shop);
    },
    async work(request, stopping) {
      const { shop } = request;
      let isDone = false;
      let restMs = retryMs;
      try {
        if (await isServedElsewhere(ctx, shop)) restMs = ELSEWHERE_MS;
        else isDone = await work(shop, stopping);
        if (isDone) await requests.finish(ctx, request);
      } finally {
        if (isDone) nextAttemptAt.delete(shop);
        else nextAttemptAt.set(shop, performance.now() + restMs);
        inWork.delete(shop);
      }
    },
  });
}
