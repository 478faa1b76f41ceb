// Runs a queue: wakes by NOTIFY, polls, renews the leases of its items, and stops cleanly. The
// queue itself defines claim, lease and retry (leased-table.ts for rows of a table).
import { startTimeLimit } from "../../deadlines/time-limit.ts";
import type { Log } from "../../log.ts";
import type { Database } from "../database.ts";
import { isDatabaseAway } from "../postgres-errors.ts";
import { LeaseLost } from "./lease.ts";
import type { QueueNotification } from "./notifications.ts";

type PumpOptions = {
  database: Database;
  /** NOTIFY channel; null for polling only. */
  notification: QueueNotification | null;
  pollMs: number;
  /** The interval of the lease renewal: a third of the lease. */
  renewMs: number | null;
  log: Log;
  /** `payload` is empty after a reconnection: notifications may have been missed. */
  onNotify(payload: string): void;
  onPoll(): void;
  renew?(): Promise<unknown>;
};

export type Pump = {
  /** Stops claiming: no more notifications or polls. Leases are still renewed. */
  stopClaiming(): Promise<void>;
  stopRenewing(): void;
};

/** The timers and the listener of every queue. */
export async function startPump({
  database,
  notification,
  pollMs,
  renewMs,
  log,
  onNotify,
  onPoll,
  renew,
}: PumpOptions): Promise<Pump> {
  const listener = notification ? await database.listen(notification, onNotify) : null;
  const polling = setInterval(onPoll, pollMs);
  const renewing =
    renew && renewMs !== null
      ? setInterval(() => {
          renew().catch((error: Error) =>
            log.warn("leases.not_renewed", { reason: error.message }),
          );
        }, renewMs)
      : undefined;
  return {
    async stopClaiming() {
      clearInterval(polling);
      await listener?.stop();
    },
    stopRenewing: () => clearInterval(renewing),
  };
}

export type WorkQueueOptions<Item> = {
  /** The queue's name in log lines. */
  name: string;
  database: Database;
  notification: QueueNotification | null;
  pollMs: number;
  leaseSeconds: number;
  /** The maximum number of items in work. */
  concurrency: number;
  log: Log;
  /** `inWork`: what this process holds already. */
  claim(limit: number, inWork: Iterable<Item>): Promise<readonly Item[]>;
  /**
   * Does the work and settles the item. After an error the item returns when its lease expires.
   * `stopping` is aborted when the process stops: long work ends at the next safe place.
   */
  work(item: Item, stopping: AbortSignal): Promise<void>;
  renew?(items: readonly Item[]): Promise<unknown>;
  release(items: readonly Item[]): Promise<void>;
  /** How long `stop` waits for items in work; longer ones are left to their lease. */
  stopWaitMs: number;
};

export type WorkQueue = { stop(): Promise<void> };

export async function startWorkQueue<Item extends object>({
  name,
  database,
  concurrency,
  log,
  claim,
  work,
  renew,
  release,
  stopWaitMs,
  leaseSeconds,
  ...timing
}: WorkQueueOptions<Item>): Promise<WorkQueue> {
  const inFlight = new Map<Item, Promise<void>>();
  const stopping = new AbortController();
  let claiming: Promise<void> | null = null;
  let isWanted = false;
  let isFailing = false;

  async function workOn(item: Item): Promise<void> {
    try {
      await work(item, stopping.signal);
    } catch (error) {
      if (!(error instanceof LeaseLost) && !isDatabaseAway(error))
        log.error("queue.work_failed", error, { queue: name });
    } finally {
      inFlight.delete(item);
      claimMore();
    }
  }

  function claimMore(): void {
    isWanted = true;
    if (!stopping.signal.aborted && !claiming && inFlight.size < concurrency)
      claiming = claimWanted();
  }

  async function claimWanted(): Promise<void> {
    try {
      while (isWanted && !stopping.signal.aborted && inFlight.size < concurrency) {
        isWanted = false;
        const free = concurrency - inFlight.size;
        const items = await claim(free, inFlight.keys());
        isFailing = false;
        if (stopping.signal.aborted) {
          await release(items);
          break;
        }
        for (const item of items) inFlight.set(item, workOn(item));
        if (items.length >= free) isWanted = true;
      }
    } catch (error) {
      // Logged once, not at every poll: a region that is not provisioned yet has no such table.
      if (!isDatabaseAway(error) && !isFailing)
        log.error("queue.not_claimed", error, { queue: name, region: database.region });
      isFailing = true;
    } finally {
      claiming = null;
    }
  }

  const pump = await startPump({
    ...timing,
    database,
    log,
    renewMs: (leaseSeconds * 1_000) / 3,
    onNotify: claimMore,
    onPoll: claimMore,
    renew: async () => {
      if (renew && inFlight.size > 0) await renew([...inFlight.keys()]);
    },
  });
  claimMore();
  return {
    async stop() {
      stopping.abort();
      const limit = startTimeLimit(stopWaitMs);
      await pump.stopClaiming();
      // A claim in progress still returns items: it releases them itself.
      await limit.wait(claiming);
      await limit.wait(Promise.all(inFlight.values()));
      limit.clear();
      pump.stopRenewing();
    },
  };
}
