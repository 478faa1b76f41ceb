// The worker of one region: claims due rows, renews its leases, and returns the rows of dead
// workers. It wakes by NOTIFY and polls every second, so a missed notification costs a second and
// never a delivery.
import { setImmediate } from "node:timers/promises";
import type { Ctx } from "../../context.server.ts";
import { isDatabaseAway, type Database } from "../../runtime/database/database.ts";
import { startPump } from "../../runtime/database/queue/work-queue.ts";
import { createSlotPool } from "../../runtime/slot-pool.ts";
import { findChannel, type QueueItem } from "./channel.ts";
import { claim, listPendingChannels, type ChannelClaim, type ClaimedItem } from "./claims/claim.ts";
import { LEASE_SECONDS, markStarted, reclaimLostLeases, renewLeases } from "./claims/leases.ts";
import { announceDeadLetters } from "./dead-letters/announce-dead-letters.ts";
import { archiveDeadLetters } from "./dead-letters/archive-dead-letters.ts";
import { createDeliveryGates } from "./delivery-gate.ts";
import { deliver, DELIVERY_MS, type Outcome } from "./deliver.ts";
import {
  createChannelScheduler,
  INITIAL_BATCH,
  concurrencyLimit,
  type ChannelScheduler,
  type TenantChannel,
} from "./channel-scheduler.ts";
import { archiveMissedMessages } from "./missed-messages.ts";
import { settlerOf } from "./settle.ts";
import { QUEUE_NOTIFICATION } from "./enqueue.ts";

const RENEW_MS = (LEASE_SECONDS * 1_000) / 3;
const RELEASE_WAIT_MS = 20_000;

export type Worker = {
  /** Stops claiming, waits for the rows in flight, releases the rest. */
  stop(): Promise<void>;
};

const newGate = createDeliveryGates();

type WorkerOptions = {
  /** How long one delivery may take. */
  deliveryMs?: number;
};

export async function startWorker(
  ctx: Ctx,
  database: Database,
  { deliveryMs = DELIVERY_MS }: WorkerOptions = {},
): Promise<Worker> {
  const name = `worker-${process.pid}-${ctx.random.uuid().slice(0, 8)}`;
  const settler = settlerOf(database);
  const held = createSlotPool<{ item: ClaimedItem; done: Promise<void> }>();
  const schedulers = new Map<string, ChannelScheduler>();
  /** The channels to claim for next; with an entry, from where the last claim ended. */
  const wanted = new Map<string, ChannelClaim | null>();
  let claiming: Promise<void> | null = null;
  const gate = newGate();
  let stopping = false;
  let isAway = false;

  function schedulerOf(channel: string): ChannelScheduler {
    const scheduler = schedulers.get(channel) ?? createChannelScheduler();
    schedulers.set(channel, scheduler);
    return scheduler;
  }

  async function enter(tenantChannel: TenantChannel): Promise<void> {
    // On shutdown, rows that still wait for a slot are released immediately.
    while (!stopping && tenantChannel.inFlight >= concurrencyLimit(tenantChannel))
      await new Promise<void>((resolve) => tenantChannel.waiting.push(resolve));
    tenantChannel.inFlight += 1;
  }

  function finish(tenantChannel: TenantChannel, outcome: Outcome): void {
    tenantChannel.inFlight -= 1;
    if (outcome === "delivered") Object.assign(tenantChannel, { isProven: true, failedAt: [] });
    if (outcome === "failed") {
      tenantChannel.isProven = false;
      tenantChannel.failedAt.push(performance.now());
    }
    if (outcome === "circuit_open") tenantChannel.failedAt = [];
    for (const resume of tenantChannel.waiting.splice(
      0,
      Math.max(0, concurrencyLimit(tenantChannel) - tenantChannel.inFlight),
    ))
      resume();
  }

  const tenantChannelOf = ({ channel, shop }: ClaimedItem) =>
    schedulerOf(channel).tenantChannelOf(shop);

  /** Runs beside other rows, up to the concurrency limit of its tenant channel. */
  async function work(item: ClaimedItem): Promise<void> {
    const tenantChannel = tenantChannelOf(item);
    await enter(tenantChannel);
    const entered = gate.enter();
    const mayBegin = entered === true || (await entered);
    await attempt(item, mayBegin, item.losses > 0 ? "begun" : null);
    if (mayBegin) gate.leave();
  }

  /** Runs without other rows in flight, so that a crash identifies this row. It needs no slot. */
  async function workAlone(item: ClaimedItem): Promise<void> {
    const begin = async (mayBegin: boolean) => {
      tenantChannelOf(item).inFlight += 1;
      await attempt(item, mayBegin, "alone");
    };
    if (!(await gate.runAlone(item.lossesAlone, () => begin(true)))) await begin(false);
  }

  /**
   * Occupies one slot of the tenant channel until the row is settled. `mark`: records the start of
   * the row first.
   */
  async function attempt(
    item: ClaimedItem,
    mayBegin: boolean,
    mark: "begun" | "alone" | null,
  ): Promise<void> {
    let outcome: Outcome = "lease_lost";
    try {
      if (stopping || !mayBegin) outcome = await release(item);
      else if (mark === null || (await markStarted(database, item, mark)))
        outcome = (await deliver(ctx, settler, item, { limitMs: deliveryMs })).status;
    } catch (error) {
      if (!isDatabaseAway(error))
        ctx.log.error("delivery.crashed", error, { shop: item.shop, channel: item.channel });
    } finally {
      finish(tenantChannelOf(item), outcome);
      if (schedulerOf(item.channel).finish(item.shop)) claimMore(item.channel);
    }
  }

  function track(item: ClaimedItem): void {
    const entry = { item, done: Promise.resolve() };
    const untrack = held.put(entry);
    entry.done = (item.isQuarantined ? workAlone(item) : work(item)).finally(untrack);
  }

  async function release(item: QueueItem): Promise<Outcome> {
    await settler.settle(item, { to: "deferred", delayMs: 0 });
    return "deferred";
  }

  /** Claims for the channel with the next claim. One claim runs at a time, for all channels. */
  function claimMore(channel: string): void {
    if (stopping) return;
    if (!wanted.has(channel)) wanted.set(channel, null);
    startClaiming();
  }

  function startClaiming(): void {
    claiming ??= claimWanted().finally(() => {
      claiming = null;
      // Wanted after the last look.
      if (wanted.size > 0 && !stopping) startClaiming();
    });
  }

  /** Until each channel's slots are full or nothing is due. */
  async function claimWanted(): Promise<void> {
    try {
      // Waits one turn of the event loop, so that all channels of a notification share the statement.
      await setImmediate();
      while (wanted.size > 0 && !stopping) {
        const claims = [...wanted].map(([channel, rest]) => {
          const scheduler = schedulerOf(channel);
          const { fromShop } = rest ?? scheduler;
          return { ...rest, channel, fromShop, perShop: INITIAL_BATCH, ...scheduler.capacity() };
        });
        wanted.clear();
        const open = claims.filter(({ limit }) => limit > 0);
        if (open.length === 0) break;
        const { items, remaining } = await claim(database, name, open);
        const rest = new Map(remaining.map((asked) => [asked.channel, asked]));
        for (const asked of open)
          if (!rest.has(asked.channel))
            schedulerOf(asked.channel).reserve(
              items.filter(({ channel }) => channel === asked.channel),
              asked,
            );
        items.forEach(track);
        for (const [channel, asked] of rest) wanted.set(channel, asked);
      }
      isAway = false;
    } catch (error) {
      if (!isAway)
        ctx.log.warn("worker.claim_failed", {
          region: database.region,
          reason: (error as Error).message,
        });
      isAway = true;
      wanted.clear();
    }
  }

  const fillAll = () => ctx.channels.forEach((channel) => claimMore(channel.name));

  /** Rows of unknown destinations are archived, so they are claimed too. */
  const fillUnknown = async () =>
    (await listPendingChannels(database))
      .filter((name) => !findChannel(ctx, name))
      .forEach(claimMore);

  async function sweep(): Promise<void> {
    try {
      const { channels, returned, dead } = await reclaimLostLeases(database);
      if (returned + dead > 0)
        ctx.log.warn("leases.reclaimed", { region: database.region, returned, dead });
      channels.forEach((channel) => claimMore(channel));
      await fillUnknown();
    } catch (error) {
      if (!isDatabaseAway(error)) ctx.log.error("leases.not_reclaimed", error);
    }
  }

  let announcing: Promise<unknown> | null = null;
  let archiving: Promise<unknown> | null = null;
  /** Alerts wait for no archive, which may take long to fail. */
  function announce(): void {
    announcing ??= announceDeadLetters(ctx, database)
      .catch((error: unknown) => {
        if (!isDatabaseAway(error)) ctx.log.error("dead_letters.not_announced", error);
      })
      .finally(() => (announcing = null));
  }
  /** Archives dead letters and messages that the archive missed. */
  function catchUpArchive(): void {
    archiving ??= Promise.all([
      archiveDeadLetters(ctx, database),
      archiveMissedMessages(ctx, database),
    ])
      .catch((error: unknown) => {
        if (!isDatabaseAway(error)) ctx.log.error("archive.failed", error);
      })
      .finally(() => (archiving = null));
  }

  const pump = await startPump({
    database,
    notification: QUEUE_NOTIFICATION,
    pollMs: ctx.config.WORKER_POLL_MS,
    renewMs: RENEW_MS,
    log: ctx.log,
    onNotify(payload) {
      if (payload === "") fillAll();
      else
        for (const channel of payload.split(","))
          if (schedulerOf(channel).notify()) claimMore(channel);
    },
    onPoll() {
      fillAll();
      void sweep();
      announce();
      catchUpArchive();
    },
    async renew() {
      const items = held.all().map(({ item }) => item);
      if (items.length > 0) await renewLeases(database, items);
    },
  });
  ctx.log.info("worker.started", { worker: name, region: database.region });
  fillAll();

  return {
    async stop() {
      stopping = true;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>(
        (resolve) => (timer = setTimeout(resolve, RELEASE_WAIT_MS)),
      );
      await pump.stopClaiming();
      // A claim in progress still returns rows: they are released too.
      await Promise.race([claiming, patience]);
      gate.close();
      for (const scheduler of schedulers.values())
        for (const tenantChannel of scheduler.tenantChannels())
          for (const resume of tenantChannel.waiting.splice(0)) resume();
      const rows = Promise.all(held.all().map(({ done }) => done));
      await Promise.race([Promise.all([rows, announcing, archiving]), patience]);
      clearTimeout(timer);
      pump.stopRenewing();
      ctx.log.info("worker.stopped", { worker: name, abandoned: held.all().length });
    },
  };
}
