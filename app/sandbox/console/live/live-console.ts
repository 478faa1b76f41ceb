/**
 * The console's live part: observes every request and webhook of the sandbox, asks the service what waits,
 * runs the scenarios, and sends it all to the open pages.
 */
import type { ServerResponse } from "node:http";
import type { SystemName } from "../../faults.ts";
import type { ObservedRequest } from "../../request-log.ts";
import type { ConsoleOptions, Sandbox } from "../../sandbox.ts";
import type { ObservedWebhook } from "../../storefront/webhooks/sender.ts";
import { createAct, problemOf } from "./act.ts";
import { createEventStream } from "./event-stream.ts";
import { applyAttempts, newRun, viewOf } from "./run.ts";
import type { Place, Run, RunView, Seen } from "./run.ts";
import { createScenarios } from "./scenarios.ts";
import type { ScenarioName } from "./scenarios.ts";
import { createWebhookEvents } from "./webhook-events.ts";
import { createServiceWatch } from "./service-watch.ts";
import type { Attempt, ChannelState, ServiceState } from "./service-watch.ts";
import { faultOf, MAP_SYSTEMS, modeOf } from "./systems.ts";
import type { Mode } from "./systems.ts";

const DEMO_SHOP = "demo-store.myshopify.com";
const MAX_SEEN = 400;
/** After its last call a scenario's events still come to the log for so long. */
const ADOPT_FOR_MS = 5_000;

/** A call on its way, or answered; `status` null: no answer. */
type Pulse = {
  from: Place;
  to: Place;
  text: string;
  isAnswered: boolean;
  status: number | null;
  ms: number;
};

/** Everything a page shows besides the run. */
type World = {
  now: number;
  shop: string;
  isInstalled: boolean;
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

export type LiveConsole = {
  shop(): string;
  world(): World;
  /** Whether the service reaches the system by files. */
  isByFile(system: SystemName): boolean;
  /** Answers a page's request with the stream of events. */
  open(response: ServerResponse): void;
  /** Starts a scenario; false while another one acts. */
  start(name: ScenarioName): boolean;
  setMode(system: SystemName, mode: Mode): void;
  close(): void;
};

export function createLiveConsole(
  sandbox: Sandbox,
  options: ConsoleOptions & { stopped: AbortSignal },
): LiveConsole {
  const scenarios = createScenarios();
  const seen: Seen[] = [];
  let run: Run | null = null;
  let runs = 0;
  const earlierEvents = new Set<string>();
  const webhookEvents = createWebhookEvents();
  let lastWorld = "";

  const shop = (): string => sandbox.storefront.shops()[0] ?? DEMO_SHOP;
  const stream = createEventStream({
    onFirst: () => watch.start(),
    onLast: () => {
      if (!run?.isActing) watch.stop();
    },
  });
  const watch = createServiceWatch({
    appUrl: () => sandbox.appUrl(),
    shop,
    adminKey: options.adminKey,
    wantsAttempts: () => run !== null,
    onState: () => sendWorld(),
    onAttempts: (attempts) => follow(attempts),
  });

  function world(): World {
    const service = watch.state();
    return {
      now: Date.now(),
      shop: shop(),
      isInstalled: sandbox.storefront.isInstalled(shop()),
      isAsked: options.adminKey !== undefined,
      service,
      systems: MAP_SYSTEMS.map(({ system, channels }) => ({
        system,
        mode: modeOf(sandbox.standingFault(system)),
        ...queueOf(channels.flatMap((name) => service.channels[name] ?? [])),
      })),
    };
  }

  function sendWorld(): void {
    const current = world();
    const text = JSON.stringify({ ...current, now: 0 });
    if (text === lastWorld) return;
    lastWorld = text;
    stream.send("world", current);
  }

  function sendRun(): void {
    if (run) stream.send("run", viewOf(run) satisfies RunView);
  }

  function follow(attempts: Attempt[]): void {
    if (!run) return;
    const changed = applyAttempts(run, attempts, {
      service: watch.state(),
      seen,
      causeOf: webhookEvents.causeOf,
      isTaken: (eventId) => earlierEvents.has(eventId),
    });
    if (changed) sendRun();
  }

  function onRequest({ system, request, isAnswered, status, ms }: ObservedRequest): void {
    // A person's browser also visits the store's pages; the service sends no such header.
    if (request.headers["sec-fetch-site"] !== undefined) return;
    if (!run && stream.size() === 0) return;
    if (!isAnswered) {
      seen.push({ ...request, system, at: request.at.getTime(), isClaimed: false });
      seen.splice(0, Math.max(0, seen.length - MAX_SEEN));
    }
    const place = system === "customerAccounts" ? "storefront" : system;
    const text = `${request.method} ${request.path.split("?", 1)[0] ?? ""}`;
    const pulse: Pulse = { from: "service", to: place, text, isAnswered, status, ms };
    stream.send("pulse", pulse);
    watch.checkSoon();
  }

  function onWebhook({ webhook, delivery }: ObservedWebhook): void {
    if (!run && stream.size() === 0) return;
    webhookEvents.add(webhook);
    if (run?.causes.has(webhook.eventId)) run.webhookIds.add(webhook.webhookId);
    const pulse: Pulse = {
      from: "storefront",
      to: "service",
      text: `Webhook ${webhook.topic}`,
      isAnswered: delivery !== null,
      status: delivery?.status ?? null,
      ms: delivery?.ms ?? 0,
    };
    stream.send("pulse", pulse);
    watch.checkSoon();
  }

  const ends = [sandbox.onRequest(onRequest), sandbox.storefront.onWebhook(onWebhook)];

  async function perform(name: ScenarioName, current: Run): Promise<void> {
    const act = createAct({ sandbox, shop: shop(), run: current }, () => {
      const step = current.steps.at(-1);
      // Webhooks are reported when they are sent.
      if (step && step.to === "service" && !step.text.startsWith("Webhook "))
        stream.send("pulse", { ...step, isAnswered: true, ms: step.ms ?? 0 } satisfies Pulse);
      sendRun();
    });
    try {
      await scenarios[name].act(act);
    } catch (error) {
      if (options.stopped.aborted) return;
      current.problem = problemOf(error, "scenario");
    }
    current.isActing = false;
    if (current.adoptsUntil > 0) current.adoptsUntil = Date.now() + ADOPT_FOR_MS;
    sendRun();
    sendWorld();
    if (stream.size() === 0) watch.stop();
    watch.checkSoon();
  }

  return {
    shop,
    world,
    isByFile: (system) => options.byFile?.includes(system) ?? false,
    open(response) {
      stream.open(response, [
        ["world", world()],
        ...(run ? [["run", viewOf(run)] as [string, unknown]] : []),
      ]);
    },
    start(name) {
      if (run?.isActing) return false;
      for (const eventId of run?.eventIds ?? []) earlierEvents.add(eventId);
      run = newRun((runs += 1), name, scenarios[name].label);
      run.adoptsUntil = name === "withdraw" || name === "agent-buys" ? Infinity : 0;
      sendRun();
      watch.start();
      void perform(name, run);
      return true;
    },
    setMode(system, mode) {
      sandbox.clearFaults(system);
      if (mode !== "working") sandbox.failNext(system, faultOf(mode, system), Infinity);
      sendWorld();
    },
    close() {
      for (const end of ends) end();
      watch.stop();
      stream.close();
    },
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
