// The worker of one region: delivers the rows that claimer.ts claims, and renews their leases. It wakes by
// NOTIFY and polls every second, so a missed notification costs a second and never a delivery.
import type { Ctx } from "../../context.server.ts";
import type { Database } from "../../runtime/database/database.ts";
import { startPump } from "../../runtime/database/queue/work-queue.ts";
import { startTimeLimit } from "../../runtime/deadlines/time-limit.ts";
import { createSlotPool, type SlotPool } from "../../runtime/slot-pool.ts";
import { createChannelSchedulers } from "./channel-scheduler.ts";
import type { ClaimedItem } from "./claims/claim.ts";
import { createClaimer } from "./claims/claimer.ts";
import { LEASE_SECONDS, renewLeases } from "./claims/leases.ts";
import { runClaimedRow, type RowRunner } from "./claims/run-claimed-row.ts";
import { DELIVERY_MS } from "./deliver.ts";
import { createDeliveryGates } from "./delivery-gate.ts";
import { QUEUE_NOTIFICATION } from "./enqueue.ts";
import { settlerOf } from "./settle.ts";
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

/** A claimed row until it is settled. */
type HeldRow = { item: ClaimedItem; done: Promise<void> };

export async function startWorker(
  ctx: Ctx,
  database: Database,
  { deliveryMs = DELIVERY_MS }: WorkerOptions = {},
): Promise<Worker> {
  const name = `worker-${process.pid}-${ctx.random.uuid().slice(0, 8)}`;
  const held = createSlotPool<HeldRow>();
  const schedulers = createChannelSchedulers();
  const gate = newGate();
  const stopping = new AbortController();
  const claimer = createClaimer({
    ctx,
    database,
    worker: name,
    schedulerOf: schedulers.of,
    onClaimed: (item) => holdWhileRunning(held, runner, item),
  });
  const { claimMore } = claimer;
  const runner: RowRunner = {
    ctx,
    database,
    settler: settlerOf(database),
    schedulers,
    gate,
    deliveryMs,
    stopping: stopping.signal,
    claimMore,
  };
  const upkeep = createUpkeep(ctx, database, claimMore);
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
          if (schedulers.of(channel).notify()) claimMore(channel);
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
      stopping.abort();
      const limit = startTimeLimit(RELEASE_WAIT_MS);
      const claiming = claimer.stop();
      await pump.stopClaiming();
      // A claim in progress still returns rows: they are released too.
      await limit.wait(claiming);
      gate.close();
      for (const scheduler of schedulers.all()) scheduler.resumeWaiting();
      const rows = Promise.all(held.all().map(({ done }) => done));
      await limit.wait(Promise.all([rows, upkeep.ended()]));
      limit.clear();
      pump.stopRenewing();
      ctx.log.info("worker.stopped", { worker: name, abandoned: held.all().length });
    },
  };
}

function holdWhileRunning(held: SlotPool<HeldRow>, runner: RowRunner, item: ClaimedItem): void {
  const row = { item, done: Promise.resolve() };
  const letGo = held.put(row);
  row.done = runClaimedRow(runner, item).finally(letGo);
}
