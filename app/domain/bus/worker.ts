// The worker of one region: delivers the rows that claimer.ts claims, and renews their leases. It wakes by
// NOTIFY and polls every second, so a missed notification costs a second and never a delivery.
import type { Ctx } from "../../context.server.ts";
import { isDatabaseAway, type Database } from "../../runtime/database/database.ts";
import { startPump } from "../../runtime/database/queue/work-queue.ts";
import { createSlotPool } from "../../runtime/slot-pool.ts";
import type { QueueItem } from "./channel.ts";
import type { ClaimedItem } from "./claims/claim.ts";
import { createClaimer } from "./claims/claimer.ts";
import { LEASE_SECONDS, markStarted, renewLeases } from "./claims/leases.ts";
import { createDeliveryGates } from "./delivery-gate.ts";
import { deliver, DELIVERY_MS, type Outcome } from "./deliver.ts";
import {
  createChannelScheduler,
  freeSlot,
  takeSlot,
  type ChannelScheduler,
} from "./channel-scheduler.ts";
import { settlerOf } from "./settle.ts";
import { QUEUE_NOTIFICATION } from "./enqueue.ts";
import { createUpkeep } from "./upkeep.ts";

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
  const gate = newGate();
  let isStopping = false;
  const hasStopped = () => isStopping;
  const claimer = createClaimer({ ctx, database, worker: name, schedulerOf, onClaimed: track });
  const { claimMore } = claimer;
  const upkeep = createUpkeep(ctx, database, claimMore);

  function schedulerOf(channel: string): ChannelScheduler {
    const scheduler = schedulers.get(channel) ?? createChannelScheduler();
    schedulers.set(channel, scheduler);
    return scheduler;
  }

  const tenantChannelOf = ({ channel, shop }: ClaimedItem) =>
    schedulerOf(channel).tenantChannelOf(shop);

  /** Runs beside other rows, up to the concurrency limit of its tenant channel. */
  async function work(item: ClaimedItem): Promise<void> {
    const tenantChannel = tenantChannelOf(item);
    // On shutdown, rows that still wait for a slot are released immediately.
    await takeSlot(tenantChannel, hasStopped);
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
      if (isStopping || !mayBegin) outcome = await release(item);
      else if (mark === null || (await markStarted(database, item, mark)))
        outcome = (await deliver(ctx, settler, item, { limitMs: deliveryMs })).status;
    } catch (error) {
      if (!isDatabaseAway(error))
        ctx.log.error("delivery.crashed", error, { shop: item.shop, channel: item.channel });
    } finally {
      freeSlot(tenantChannelOf(item), outcome);
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

  const claimForAll = () => ctx.channels.forEach((channel) => claimMore(channel.name));

  const pump = await startPump({
    database,
    notification: QUEUE_NOTIFICATION,
    pollMs: ctx.config.WORKER_POLL_MS,
    renewMs: RENEW_MS,
    log: ctx.log,
    onNotify(payload) {
      if (payload === "") claimForAll();
      else
        for (const channel of payload.split(","))
          if (schedulerOf(channel).notify()) claimMore(channel);
    },
    onPoll() {
      claimForAll();
      upkeep.begin();
    },
    async renew() {
      const items = held.all().map(({ item }) => item);
      if (items.length > 0) await renewLeases(database, items);
    },
  });
  ctx.log.info("worker.started", { worker: name, region: database.region });
  claimForAll();

  return {
    async stop() {
      isStopping = true;
      const claiming = claimer.stop();
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
      await Promise.race([Promise.all([rows, upkeep.ended()]), patience]);
      clearTimeout(timer);
      pump.stopRenewing();
      ctx.log.info("worker.stopped", { worker: name, abandoned: held.all().length });
    },
  };
}
