// The worker of one region: claims what is due, keeps its leases, brings back what dead workers held. It wakes by NOTIFY
// and looks by itself every second, so a missed notification costs a second and never a delivery.
import type { Ctx } from "../../context.server.ts";
import { isDatabaseAway, type Database } from "../../runtime/database.ts";
import { OutboundError } from "../../runtime/errors.ts";
import { findChannel, type QueueItem } from "./channel.ts";
import { FAILURES_TO_OPEN } from "./circuit.ts";
import { claim, type ClaimedItem, LEASE_LOSSES_BEFORE_DEAD, LEASE_SECONDS, listPendingChannels, markBegun, reclaimLostLeases, renewLeases } from "./claim.ts";
import { fileDeadLetters, fileMissedMessages } from "./dead-letters.ts";
import { deliver, type Outcome } from "./deliver.ts";
import { settlerOf } from "./settle.ts";
import { QUEUE_NOTIFICATION } from "./waiting-rows.ts";

const POLL_MS = 1_000;
const RENEW_MS = (LEASE_SECONDS * 1_000) / 3;
/** A slow channel fills its own places and nobody else's; a store's slow system only its share of them. */
const PLACES_PER_CHANNEL = 128;
const PLACES_PER_PAIR = 16;
/** Rows in hand beyond those that are begun, so that a pair that works never waits for a claim. */
const WAITING_PER_PAIR = 16;
/** For a pair that has nothing in hand. */
const FIRST_ROWS = 8;
const FAILURE_MEMORY_MS = 10 * 60_000;
const RELEASE_WAIT_MS = 20_000;

export type Worker = {
  /** Stops claiming, waits for what is in flight, gives the rest back. */
  stop(): Promise<void>;
};

/** How a pair of tenant and channel has been doing, as this process saw it. */
type Health = { isProven: boolean; failedAt: number[]; inFlight: number; waiting: (() => void)[] };

const isLastChance = (losses: number) => losses + 1 >= LEASE_LOSSES_BEFORE_DEAD;

export async function startWorker(ctx: Ctx, database: Database): Promise<Worker> {
  const name = `worker-${process.pid}-${ctx.random.uuid().slice(0, 8)}`;
  const settler = settlerOf(database);
  const held = new Map<string, { item: ClaimedItem; done: Promise<void> }>();
  const busy = new Map<string, number>();
  const claiming = new Map<string, boolean>();
  const fills = new Set<Promise<void>>();
  const lastShop = new Map<string, string>();
  const health = new Map<string, Health>();
  let lastChance: Promise<unknown> = Promise.resolve();
  let stopping = false;
  let isAway = false;

  const keyOf = (item: QueueItem) => `${item.shop}/${item.queueId}`;
  const pairOf = (item: QueueItem) => `${item.shop}/${item.channel}`;

  // A pair that has not shown that it works gets no more places than failures are left before its circuit opens: an
  // outage then costs exactly the five attempts that the circuit counts.
  function placesOf(pair: Health): number {
    pair.failedAt = pair.failedAt.filter((at) => at > performance.now() - FAILURE_MEMORY_MS);
    return pair.isProven ? PLACES_PER_PAIR : Math.max(1, FAILURES_TO_OPEN - pair.failedAt.length);
  }

  /** How many rows of each store that has some in hand may be claimed besides. What nobody is sure of waits for all alike. */
  function freePlaces(channel: string): Map<string, number> {
    const free = new Map<string, number>();
    for (const { item } of held.values()) {
      if (item.channel !== channel) continue;
      const pair = health.get(pairOf(item));
      const most = pair?.isProven ? PLACES_PER_PAIR + WAITING_PER_PAIR : FIRST_ROWS;
      free.set(item.shop, Math.max(0, (free.get(item.shop) ?? most) - 1));
    }
    return free;
  }

  async function enter(pair: Health): Promise<void> {
    // Whoever waits for a place when the worker stops gives its row back at once.
    while (!stopping && pair.inFlight >= placesOf(pair)) await new Promise<void>((resolve) => pair.waiting.push(resolve));
    pair.inFlight += 1;
  }

  function leave(pair: Health, outcome: Outcome): void {
    pair.inFlight -= 1;
    if (outcome === "delivered") Object.assign(pair, { isProven: true, failedAt: [] });
    if (outcome === "failed") {
      pair.isProven = false;
      pair.failedAt.push(performance.now());
    }
    if (outcome === "circuit_open") pair.failedAt = [];
    for (const resume of pair.waiting.splice(0)) resume();
  }

  // One after the other, and after all other suspects: when the process dies, the one that was begun is the one that it
  // died of, and a process that dies of something else meets rows that have more chances left.
  function workAlone(item: ClaimedItem): Promise<void> {
    const othersDone = () => Promise.all([...held.values()].filter(({ item: { losses } }) => losses > 0 && !isLastChance(losses)).map(({ done }) => done));
    const done = lastChance.then(othersDone).then(() => work(item));
    lastChance = done;
    return done;
  }

  async function work(item: ClaimedItem): Promise<void> {
    const pair = health.get(pairOf(item)) ?? { isProven: false, failedAt: [], inFlight: 0, waiting: [] };
    health.set(pairOf(item), pair);
    await enter(pair);
    let outcome: Outcome = "lease_lost";
    try {
      if (stopping) outcome = await giveBack(item);
      else if (item.losses === 0 || (await markBegun(database, item))) outcome = (await deliver(ctx, settler, item)).status;
    } catch (error) {
      if (!isDatabaseAway(error)) ctx.log.failed("delivery.crashed", error, { shop: item.shop, channel: item.channel });
    } finally {
      leave(pair, outcome);
      held.delete(keyOf(item));
      busy.set(item.channel, (busy.get(item.channel) ?? 1) - 1);
      fill(item.channel);
    }
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
    claiming.set(channel, false);
    try {
      for (;;) {
        const free = PLACES_PER_CHANNEL - (busy.get(channel) ?? 0);
        if (free <= 0 || stopping) break;
        const items = await claim(database, { channel, limit: free, worker: name, startAt: lastShop.get(channel) ?? "", places: freePlaces(channel), perShop: FIRST_ROWS });
        const last = items.at(-1);
        // One past the last shop served, so that the next claim starts with its neighbour.
        if (last) lastShop.set(channel, `${last.shop}\u0001`);
        for (const item of items) {
          busy.set(channel, (busy.get(channel) ?? 0) + 1);
          held.set(keyOf(item), { item, done: isLastChance(item.losses) ? workAlone(item) : work(item) });
        }
        if (items.length < free && !claiming.get(channel)) break;
        claiming.set(channel, false);
      }
      isAway = false;
    } catch (error) {
      if (!isAway) ctx.log.troubled("worker.claim_failed", { region: database.region, reason: (error as Error).message });
      isAway = true;
    } finally {
      claiming.delete(channel);
    }
  }

  const fillAll = () => ctx.channels.forEach((channel) => fill(channel.name));

  /** Rows for destinations that nobody here serves are filed, so they have to be found too. */
  const fillUnknown = async () => (await listPendingChannels(database)).filter((name) => !findChannel(ctx, name)).forEach(fill);

  async function sweep(): Promise<void> {
    try {
      const { channels, returned, dead } = await reclaimLostLeases(database);
      if (returned + dead > 0) ctx.log.troubled("leases.reclaimed", { region: database.region, returned, dead });
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
        if (error instanceof OutboundError) ctx.log.troubled("archive.not_filed", { region: database.region, reason: error.message });
        else if (!isDatabaseAway(error)) ctx.log.failed("archive.not_filed", error);
      })
      .finally(() => (filing = null));
  }

  const listener = await database.listen(QUEUE_NOTIFICATION, (payload) => {
    if (payload === "") fillAll();
    else payload.split(",").forEach((channel) => fill(channel));
  });
  const poll = setInterval(() => {
    fillAll();
    void sweep();
    file();
  }, POLL_MS);
  const renew = setInterval(() => {
    const items = [...held.values()].map(({ item }) => item);
    if (items.length > 0) renewLeases(database, items).catch((error: Error) => ctx.log.troubled("leases.not_renewed", { reason: error.message }));
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
      for (const pair of health.values()) for (const resume of pair.waiting.splice(0)) resume();
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, RELEASE_WAIT_MS)));
      await Promise.race([Promise.all([...held.values()].map(({ done }) => done)), patience]);
      clearTimeout(timer);
      clearInterval(renew);
      ctx.log.done("worker.stopped", { worker: name, abandoned: held.size });
    },
  };
}
