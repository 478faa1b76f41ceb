// The worker of one region: claims what is due, keeps its leases, brings back what dead workers held. It wakes by NOTIFY
// and looks by itself every second, so a missed notification costs a second and never a delivery.
import type { Ctx } from "../../context.server.ts";
import { isDatabaseAway, type Database } from "../../runtime/database.ts";
import { OutboundError } from "../../runtime/errors.ts";
import { createSlots } from "../../runtime/slots.ts";
import { findChannel, type QueueItem } from "./channel.ts";
import {
  claim,
  type ClaimedItem,
  LEASE_SECONDS,
  listPendingChannels,
  markBegun,
  reclaimLostLeases,
  renewLeases,
} from "./claim.ts";
import { fileDeadLetters, fileMissedMessages } from "./dead-letters.ts";
import { createDeliveryGates } from "./delivery-gate.ts";
import { deliver, type Outcome } from "./deliver.ts";
import { createLane, FIRST_ROWS, placesOf, type Lane, type Pair } from "./lane.ts";
import { settlerOf } from "./settle.ts";
import { QUEUE_NOTIFICATION } from "./waiting-rows.ts";

const RENEW_MS = (LEASE_SECONDS * 1_000) / 3;
const RELEASE_WAIT_MS = 20_000;

export type Worker = {
  /** Stops claiming, waits for what is in flight, gives the rest back. */
  stop(): Promise<void>;
};

const newGate = createDeliveryGates();

export async function startWorker(ctx: Ctx, database: Database): Promise<Worker> {
  const name = `worker-${process.pid}-${ctx.random.uuid().slice(0, 8)}`;
  const settler = settlerOf(database);
  const held = createSlots<{ item: ClaimedItem; done: Promise<void> }>();
  const lanes = new Map<string, Lane>();
  const claiming = new Map<string, boolean>();
  const fills = new Set<Promise<void>>();
  const gate = newGate();
  let stopping = false;
  let isAway = false;

  function laneOf(channel: string): Lane {
    const lane = lanes.get(channel) ?? createLane();
    lanes.set(channel, lane);
    return lane;
  }

  async function enter(pair: Pair): Promise<void> {
    // Whoever waits for a place when the worker stops gives its row back at once.
    while (!stopping && pair.inFlight >= placesOf(pair))
      await new Promise<void>((resolve) => pair.waiting.push(resolve));
    pair.inFlight += 1;
  }

  function leave(pair: Pair, outcome: Outcome): void {
    pair.inFlight -= 1;
    if (outcome === "delivered") Object.assign(pair, { isProven: true, failedAt: [] });
    if (outcome === "failed") {
      pair.isProven = false;
      pair.failedAt.push(performance.now());
    }
    if (outcome === "circuit_open") pair.failedAt = [];
    for (const resume of pair.waiting.splice(0, Math.max(0, placesOf(pair) - pair.inFlight)))
      resume();
  }

  const pairOf = ({ channel, shop }: ClaimedItem) => laneOf(channel).pairOf(shop);

  /** Beside others, as many as its pair has places. */
  async function work(item: ClaimedItem): Promise<void> {
    const pair = pairOf(item);
    await enter(pair);
    const entered = gate.enter();
    const mayBegin = entered === true || (await entered);
    await attempt(item, mayBegin, item.losses > 0 ? "begun" : null);
    if (mayBegin) gate.leave();
  }

  /** When the process dies, this is the row that it died of. Nothing else is under way, so it waits for no place. */
  async function workAlone(item: ClaimedItem): Promise<void> {
    const begin = async (mayBegin: boolean) => {
      pairOf(item).inFlight += 1;
      await attempt(item, mayBegin, "alone");
    };
    if (!(await gate.runAlone(item.lossesAlone, () => begin(true)))) await begin(false);
  }

  /** Holds one of its pair's places until the row is settled. `mark`: says first that the row is begun. */
  async function attempt(
    item: ClaimedItem,
    mayBegin: boolean,
    mark: "begun" | "alone" | null,
  ): Promise<void> {
    let outcome: Outcome = "lease_lost";
    try {
      if (stopping || !mayBegin) outcome = await giveBack(item);
      else if (mark === null || (await markBegun(database, item, mark)))
        outcome = (await deliver(ctx, settler, item)).status;
    } catch (error) {
      if (!isDatabaseAway(error))
        ctx.log.failed("delivery.crashed", error, { shop: item.shop, channel: item.channel });
    } finally {
      leave(pairOf(item), outcome);
      if (laneOf(item.channel).finish(item.shop)) fill(item.channel);
    }
  }

  function hold(item: ClaimedItem): void {
    const entry = { item, done: Promise.resolve() };
    const release = held.put(entry);
    entry.done = (item.isQuarantined ? workAlone(item) : work(item)).finally(release);
  }

  async function giveBack(item: QueueItem): Promise<Outcome> {
    await settler.settle(item, { to: "deferred", delayMs: 0 });
    return "deferred";
  }

  /** Claims for one channel until its places are taken or nothing is due. One claim at a time per channel. */
  function fill(channel: string): void {
    if (stopping) return;
    if (claiming.has(channel)) {
      claiming.set(channel, true);
      return;
    }
    const running = claimFor(channel).finally(() => fills.delete(running));
    fills.add(running);
  }

  async function claimFor(channel: string): Promise<void> {
    try {
      do {
        claiming.set(channel, false);
        const lane = laneOf(channel);
        const room = lane.room();
        if (room.limit <= 0 || stopping) break;
        const items = await claim(database, {
          channel,
          ...room,
          worker: name,
          startAt: lane.startAt,
          perShop: FIRST_ROWS,
        });
        lane.take(items, room);
        items.forEach(hold);
      } while (claiming.get(channel));
      isAway = false;
    } catch (error) {
      if (!isAway)
        ctx.log.troubled("worker.claim_failed", {
          region: database.region,
          reason: (error as Error).message,
        });
      isAway = true;
    } finally {
      claiming.delete(channel);
    }
  }

  const fillAll = () => ctx.channels.forEach((channel) => fill(channel.name));

  /** Rows for destinations that nobody here serves are filed, so they have to be found too. */
  const fillUnknown = async () =>
    (await listPendingChannels(database)).filter((name) => !findChannel(ctx, name)).forEach(fill);

  async function sweep(): Promise<void> {
    try {
      const { channels, returned, dead } = await reclaimLostLeases(database);
      if (returned + dead > 0)
        ctx.log.troubled("leases.reclaimed", { region: database.region, returned, dead });
      channels.forEach((channel) => fill(channel));
      await fillUnknown();
    } catch (error) {
      if (!isDatabaseAway(error)) ctx.log.failed("leases.not_reclaimed", error);
    }
  }

  let filing: Promise<unknown> | null = null;
  /** Dead letters, and what the archive missed. An archive that is away is asked again later, by the rows' own marks. */
  function file(): void {
    filing ??= Promise.all([fileDeadLetters(ctx, database), fileMissedMessages(ctx, database)])
      .catch((error: unknown) => {
        if (error instanceof OutboundError)
          ctx.log.troubled("archive.not_filed", { region: database.region, reason: error.message });
        else if (!isDatabaseAway(error)) ctx.log.failed("archive.not_filed", error);
      })
      .finally(() => (filing = null));
  }

  const listener = await database.listen(QUEUE_NOTIFICATION, (payload) => {
    if (payload === "") fillAll();
    else for (const channel of payload.split(",")) if (laneOf(channel).hear()) fill(channel);
  });
  const poll = setInterval(() => {
    fillAll();
    void sweep();
    file();
  }, ctx.config.WORKER_POLL_MS);
  const renew = setInterval(() => {
    const items = held.all().map(({ item }) => item);
    if (items.length > 0)
      renewLeases(database, items).catch((error: Error) =>
        ctx.log.troubled("leases.not_renewed", { reason: error.message }),
      );
  }, RENEW_MS);
  ctx.log.done("worker.started", { worker: name, region: database.region });
  fillAll();

  return {
    async stop() {
      stopping = true;
      clearInterval(poll);
      await listener.stop();
      // A claim that is under way still brings rows: they are given back too.
      await Promise.all([...fills, filing]);
      gate.close();
      for (const lane of lanes.values())
        for (const pair of lane.pairs()) for (const resume of pair.waiting.splice(0)) resume();
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>(
        (resolve) => (timer = setTimeout(resolve, RELEASE_WAIT_MS)),
      );
      await Promise.race([Promise.all(held.all().map(({ done }) => done)), patience]);
      clearTimeout(timer);
      clearInterval(renew);
      ctx.log.done("worker.stopped", { worker: name, abandoned: held.all().length });
    },
  };
}
