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
import { createConsoleFeed } from "./console-feed.ts";
import { pulseOfRequest, pulseOfStep, pulseOfWebhook } from "./pulse.ts";
import type { Run, Step } from "./run.ts";
import { createRuns } from "./runs.ts";
import { createScenarios } from "./scenarios.ts";
import type { ScenarioName } from "./scenarios.ts";
import { createServiceWatch } from "./service-watch.ts";
import { faultOf } from "./systems.ts";
import type { Mode } from "./systems.ts";
import { worldOf } from "./world.ts";
import type { World } from "./world.ts";

const DEMO_SHOP = "demo-store.myshopify.com";
/** How long a scenario's events still count as its own after its last call. */
const ADOPT_FOR_MS = 5_000;
/** They change something at the service without a webhook, so their events are known by their time only. */
const WITHOUT_WEBHOOK: readonly ScenarioName[] = ["withdraw", "agent-buys"];

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
  const runs = createRuns();
  const shop = () => sandbox.storefront.shops()[0] ?? DEMO_SHOP;
  const world = () =>
    worldOf(sandbox, {
      shop: shop(),
      isAsked: options.adminKey !== undefined,
      service: watch.state(),
    });
  const feed = createConsoleFeed({
    world,
    newestRun: () => runs.newest(),
    onFirst: () => watch.start(),
    onLast: () => {
      if (!runs.newest()?.isActing) watch.stop();
    },
  });
  const watch = createServiceWatch({
    appUrl: () => sandbox.appUrl(),
    shop,
    adminKey: options.adminKey,
    wantsAttempts: () => runs.newest() !== null,
    onState: () => feed.sendWorld(),
    onAttempts(attempts) {
      if (runs.addAttempts(attempts, watch.state())) feed.sendRun();
    },
  });
  const unsubscribe = [
    sandbox.onRequest(observeRequest),
    sandbox.storefront.onWebhook(observeWebhook),
  ];

  const isWatched = () => runs.newest() !== null || feed.hasPages();

  function observeRequest(observed: ObservedRequest): void {
    // A person's browser also visits the store's pages; the service sends no such header.
    const isFromBrowser = observed.request.headers["sec-fetch-site"] !== undefined;
    if (isFromBrowser || !isWatched()) return;
    if (!observed.isAnswered) runs.addRequest(observed);
    feed.sendPulse(pulseOfRequest(observed));
    watch.checkSoon();
  }

  function observeWebhook(observed: ObservedWebhook): void {
    if (!isWatched()) return;
    runs.addWebhook(observed);
    feed.sendPulse(pulseOfWebhook(observed));
    watch.checkSoon();
  }

  function showStep(step: Step): void {
    const pulse = pulseOfStep(step);
    if (pulse) feed.sendPulse(pulse);
    feed.sendRun();
  }

  async function perform(name: ScenarioName, run: Run): Promise<void> {
    try {
      await scenarios[name].act(createAct({ sandbox, shop: shop(), run }, showStep));
    } catch (error) {
      if (options.stopped.aborted) return;
      run.problem = problemOf(error, "scenario");
    }
    run.isActing = false;
    if (run.adoptsUntil > 0) run.adoptsUntil = Date.now() + ADOPT_FOR_MS;
    feed.sendRun();
    feed.sendWorld();
    if (!feed.hasPages()) watch.stop();
    watch.checkSoon();
  }

  return {
    shop,
    world,
    isByFile: (system) => options.byFile?.includes(system) ?? false,
    open: (response) => feed.open(response),
    start(name) {
      if (runs.newest()?.isActing) return false;
      const run = runs.begin(name, scenarios[name].label);
      run.adoptsUntil = WITHOUT_WEBHOOK.includes(name) ? Infinity : 0;
      feed.sendRun();
      watch.start();
      void perform(name, run);
      return true;
    },
    setMode(system, mode) {
      sandbox.clearFaults(system);
      if (mode !== "working") sandbox.failNext(system, faultOf(mode, system), Infinity);
      feed.sendWorld();
    },
    close() {
      for (const end of unsubscribe) end();
      watch.stop();
      feed.close();
    },
  };
}
