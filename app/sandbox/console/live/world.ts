/** What the map shows besides the run: the service, and what waits for each system. */
import type { SystemName } from "../../faults.ts";
import type { Sandbox } from "../../sandbox.ts";
import type { ChannelState, ServiceState } from "./service-watch.ts";
import { MAP_SYSTEMS, modeOf } from "./systems.ts";
import type { Mode } from "./systems.ts";

export type World = {
  now: number;
  shop: string;
  isInstalled: boolean;
  /** Whether the console has the key to ask the service about its queue. */
  isAsked: boolean;
  service: ServiceState;
  systems: ({ system: SystemName; mode: Mode } & SystemQueue)[];
};

/** What waits for a system, over all of its channels. */
type SystemQueue = {
  /** Whether the service delivers to it from its queue, and is asked about it. */
  hasQueue: boolean;
  circuit: "closed" | "open";
  openUntil: string | null;
  waiting: number;
  nextAttemptAt: string | null;
  delivered: number;
};

export function worldOf(
  sandbox: Sandbox,
  about: Pick<World, "shop" | "isAsked" | "service">,
): World {
  return {
    ...about,
    now: Date.now(),
    isInstalled: sandbox.storefront.isInstalled(about.shop),
    systems: MAP_SYSTEMS.map(({ system, channels }) => ({
      system,
      mode: modeOf(sandbox.standingFault(system)),
      ...queueOf(channels.flatMap((name) => about.service.channels[name] ?? [])),
    })),
  };
}

function queueOf(channels: readonly ChannelState[]): SystemQueue {
  const earliest = (times: (string | null)[]) =>
    times.filter((time) => time !== null).sort()[0] ?? null;
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    hasQueue: channels.length > 0,
    circuit: channels.some(({ circuit }) => circuit === "open") ? "open" : "closed",
    openUntil: earliest(channels.map(({ openUntil }) => openUntil)),
    waiting: sum(channels.map(({ pending }) => pending)),
    nextAttemptAt: earliest(channels.map(({ nextAttemptAt }) => nextAttemptAt)),
    delivered: sum(channels.map(({ delivered }) => delivered)),
  };
}
