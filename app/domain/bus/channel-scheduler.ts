// The scheduler of one channel in a worker: which rows are in flight per store, whether each
// store's system works, and when the worker claims more.
import { createSlotPool } from "../../runtime/slot-pool.ts";
import { FAILURES_TO_OPEN } from "./circuit.ts";
import type { Outcome } from "./deliver.ts";

/**
 * Each channel has its own slots, so a slow channel does not block the others. One store gets only
 * a share of them.
 */
const CONCURRENCY_PER_CHANNEL = 128;
const CONCURRENCY_PER_TENANT = 16;
/**
 * Rows claimed beyond those that run, so that a tenant channel that works does not wait for the
 * next claim.
 */
const PREFETCH_PER_TENANT_CHANNEL = 16;
/** Batch size for a tenant channel without rows in flight. */
export const INITIAL_BATCH = 8;
/**
 * One claim costs about the same for one row as for many, so the worker finishes this many rows
 * before it claims again.
 */
const DONE_BEFORE_NEXT_CLAIM = 16;
const FAILURE_MEMORY_MS = 10 * 60_000;

/** The recent results of one store on one channel, as this process saw them. */
export type TenantChannel = {
  shop: string;
  isProven: boolean;
  failedAt: number[];
  reserved: number;
  doneSinceClaim: number;
  inFlight: number;
  waiting: (() => void)[];
  markIdle(): void;
};

// A tenant channel without a recent success gets only as many slots as failures remain until its
// circuit opens. An outage then costs exactly the five attempts that the circuit counts.
function concurrencyLimit(tenantChannel: TenantChannel): number {
  tenantChannel.failedAt = tenantChannel.failedAt.filter(
    (at) => at > performance.now() - FAILURE_MEMORY_MS,
  );
  return tenantChannel.isProven
    ? CONCURRENCY_PER_TENANT
    : Math.max(1, FAILURES_TO_OPEN - tenantChannel.failedAt.length);
}

/** Takes a slot of the tenant channel: once one is free, or at once beyond the limit when the worker stops. */
export async function takeSlot(tenantChannel: TenantChannel, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && tenantChannel.inFlight >= concurrencyLimit(tenantChannel))
    await new Promise<void>((resolve) => tenantChannel.waiting.push(resolve));
  tenantChannel.inFlight += 1;
}

/** Frees the slot, and resumes as many rows that wait as the outcome leaves slots for. */
export function freeSlot(tenantChannel: TenantChannel, outcome: Outcome): void {
  tenantChannel.inFlight -= 1;
  if (outcome === "delivered") Object.assign(tenantChannel, { isProven: true, failedAt: [] });
  if (outcome === "failed") {
    tenantChannel.isProven = false;
    tenantChannel.failedAt.push(performance.now());
  }
  if (outcome === "circuit_open") tenantChannel.failedAt = [];
  const free = Math.max(0, concurrencyLimit(tenantChannel) - tenantChannel.inFlight);
  for (const resume of tenantChannel.waiting.splice(0, free)) resume();
}

type Capacity = { limit: number; limits: ReadonlyMap<string, number> };

export type ChannelScheduler = {
  tenantChannelOf(shop: string): TenantChannel;
  /** Resumes all rows that wait for a slot. */
  resumeWaiting(): void;
  /**
   * How many rows may be claimed in total, and how many per store that already has rows in flight.
   */
  capacity(): Capacity;
  /** Registers claimed rows as in flight. */
  reserve(rows: readonly { shop: string }[], capacity: Capacity): void;
  /** Records a notification about new rows. Returns whether to claim now. */
  notify(): boolean;
  /** Records that a row is finished. Returns whether to claim again. */
  finish(shop: string): boolean;
  /**
   * While more rows are due: the position after the last store served, where the next claim starts.
   */
  fromShop: string;
};

export function createChannelScheduler(): ChannelScheduler {
  const tenantChannels = new Map<string, TenantChannel>();
  let reserved = 0;
  let isMore = false;
  let wasNotified = false;
  /** Only stores with rows in flight have an entry. */
  const busy = createSlotPool<TenantChannel>();

  const tenantChannelOf = (shop: string): TenantChannel => {
    const known = tenantChannels.get(shop);
    if (known) return known;
    const tenantChannel: TenantChannel = {
      shop,
      isProven: false,
      failedAt: [],
      reserved: 0,
      doneSinceClaim: 0,
      inFlight: 0,
      waiting: [],
      markIdle: () => {},
    };
    tenantChannels.set(shop, tenantChannel);
    return tenantChannel;
  };
  /** A tenant channel without a recent success gets the initial batch only. */
  const maxInFlight = (tenantChannel: TenantChannel) =>
    tenantChannel.isProven ? CONCURRENCY_PER_TENANT + PREFETCH_PER_TENANT_CHANNEL : INITIAL_BATCH;

  const hasRoom = () => reserved + DONE_BEFORE_NEXT_CLAIM <= CONCURRENCY_PER_CHANNEL;

  return {
    fromShop: "",
    tenantChannelOf,
    resumeWaiting() {
      for (const { waiting } of tenantChannels.values())
        for (const resume of waiting.splice(0)) resume();
    },
    capacity() {
      wasNotified = false;
      const limits = new Map<string, number>();
      for (const tenantChannel of busy.all()) {
        tenantChannel.doneSinceClaim = 0;
        limits.set(
          tenantChannel.shop,
          Math.max(0, maxInFlight(tenantChannel) - tenantChannel.reserved),
        );
      }
      return { limit: CONCURRENCY_PER_CHANNEL - reserved, limits };
    },
    reserve(rows, { limit, limits }) {
      const taken = new Map<string, number>();
      for (const { shop } of rows) taken.set(shop, (taken.get(shop) ?? 0) + 1);
      for (const [shop, count] of taken) {
        const tenantChannel = tenantChannelOf(shop);
        if (tenantChannel.reserved === 0)
          Object.assign(tenantChannel, { doneSinceClaim: 0, markIdle: busy.put(tenantChannel) });
        tenantChannel.reserved += count;
      }
      reserved += rows.length;
      // A store whose rows filled its limit, or whose limit was zero, probably has more.
      isMore =
        wasNotified ||
        rows.length >= limit ||
        [...taken].some(([shop, count]) => count >= (limits.get(shop) ?? INITIAL_BATCH)) ||
        [...limits.values()].includes(0);
      // When the whole result fits, no store was skipped. Starting behind the last store would then
      // scan twice.
      this.fromShop = isMore && rows.length > 0 ? `${rows.at(-1)?.shop}\u0001` : "";
    },
    notify() {
      isMore = true;
      wasNotified = true;
      return hasRoom();
    },
    finish(shop) {
      const tenantChannel = tenantChannelOf(shop);
      reserved -= 1;
      tenantChannel.reserved -= 1;
      tenantChannel.doneSinceClaim += 1;
      if (tenantChannel.reserved === 0) tenantChannel.markIdle();
      return (
        isMore &&
        tenantChannel.doneSinceClaim >= Math.min(DONE_BEFORE_NEXT_CLAIM, tenantChannel.reserved) &&
        (hasRoom() || tenantChannel.reserved === 0)
      );
    },
  };
}

/** The schedulers of one worker. A channel gets its own when it is first asked for. */
export type ChannelSchedulers = {
  of(channel: string): ChannelScheduler;
  tenantChannelOf(row: { channel: string; shop: string }): TenantChannel;
  all(): Iterable<ChannelScheduler>;
};

export function createChannelSchedulers(): ChannelSchedulers {
  const schedulers = new Map<string, ChannelScheduler>();
  const of = (channel: string) => {
    const scheduler = schedulers.get(channel) ?? createChannelScheduler();
    schedulers.set(channel, scheduler);
    return scheduler;
  };
  return {
    of,
    tenantChannelOf: ({ channel, shop }) => of(channel).tenantChannelOf(shop),
    all: () => schedulers.values(),
  };
}
