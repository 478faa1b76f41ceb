// Claims rows for the channels that have slots. One claim runs at a time, for all channels.
import { setImmediate } from "node:timers/promises";
import type { Ctx } from "../../../context.server.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { INITIAL_BATCH, type ChannelScheduler } from "../channel-scheduler.ts";
import { claim, type ChannelClaim, type ClaimedItem } from "./claim.ts";

type ClaimerOptions = {
  ctx: Ctx;
  database: Database;
  /** The name of the worker that claims. */
  worker: string;
  schedulerOf(channel: string): ChannelScheduler;
  onClaimed(item: ClaimedItem): void;
};

export type Claimer = {
  /** Includes the channel in the next claim. */
  claimMore(channel: string): void;
  /** Begins no further claim. Resolves when one in progress has returned its rows. */
  stop(): Promise<void>;
};

export function createClaimer({
  ctx,
  database,
  worker,
  schedulerOf,
  onClaimed,
}: ClaimerOptions): Claimer {
  /** The channels to claim for next; with an entry, from where the last claim ended. */
  const wanted = new Map<string, ChannelClaim | null>();
  let claiming: Promise<void> | null = null;
  let isStopped = false;
  let isAway = false;

  function startClaiming(): void {
    claiming ??= claimWanted().finally(() => {
      claiming = null;
      // A channel that became wanted after the last look at the list.
      if (wanted.size > 0 && !isStopped) startClaiming();
    });
  }

  /** Claims until each channel's slots are full or nothing is due. */
  async function claimWanted(): Promise<void> {
    try {
      // Waits one turn of the event loop, so that all channels of a notification share the statement.
      await setImmediate();
      while (wanted.size > 0 && !isStopped) {
        const open = takeWanted().filter(({ limit }) => limit > 0);
        if (open.length === 0) break;
        await claimFor(open);
      }
      isAway = false;
    } catch (error) {
      // Logged once per outage, because each poll asks again.
      if (!isAway)
        ctx.log.warn("worker.claim_failed", {
          region: database.region,
          reason: (error as Error).message,
        });
      isAway = true;
      wanted.clear();
    }
  }

  function takeWanted(): ChannelClaim[] {
    const claims = [...wanted].map(([channel, rest]) => {
      const scheduler = schedulerOf(channel);
      const { fromShop } = rest ?? scheduler;
      return { ...rest, channel, fromShop, perShop: INITIAL_BATCH, ...scheduler.capacity() };
    });
    wanted.clear();
    return claims;
  }

  async function claimFor(claims: readonly ChannelClaim[]): Promise<void> {
    const { items, remaining } = await claim(database, worker, claims);
    const unfinished = new Map(remaining.map((rest) => [rest.channel, rest]));
    for (const asked of claims) {
      if (unfinished.has(asked.channel)) continue;
      const claimed = items.filter(({ channel }) => channel === asked.channel);
      schedulerOf(asked.channel).reserve(claimed, asked);
    }
    items.forEach(onClaimed);
    for (const [channel, rest] of unfinished) wanted.set(channel, rest);
  }

  return {
    claimMore(channel) {
      if (isStopped) return;
      if (!wanted.has(channel)) wanted.set(channel, null);
      startClaiming();
    },
    async stop() {
      isStopped = true;
      await claiming;
    },
  };
}
