/** A run of the playground's agent: step by step or all at once, and again. One per sandbox. */
import type { ConsoleOptions, Sandbox } from "../../sandbox.ts";
import { createAct, problemOf } from "../live/act.ts";
import type { Act, Exchange } from "../live/act.ts";
import { newRun } from "../live/run.ts";
import { createShopper } from "../live/shopper.ts";
import { PLAYGROUND_STEPS } from "./playground-steps.ts";
import type { Memory } from "./playground-steps.ts";
import { readMerchantView, readShopperView } from "./playground-views.ts";
import type { MerchantView, ShopperView } from "./playground-views.ts";
import { showExchange, type ShownExchange } from "./shown-exchange.ts";

export const PLAYGROUND_ACTIONS = ["next", "all", "again"] as const;
type PlaygroundAction = (typeof PLAYGROUND_ACTIONS)[number];

type StepState = "waiting" | "running" | "done" | "failed";

type PlaygroundState = {
  isBusy: boolean;
  problem: string | null;
  steps: {
    name: string;
    state: StepState;
    result: string | null;
  }[];
  exchanges: ShownExchange[];
  shopper: ShopperView | null;
  merchant: MerchantView | null;
};

export type Playground = {
  /** Reads what Ada and the merchant see now. */
  state(): Promise<PlaygroundState>;
  /** False while a step runs. */
  start(action: PlaygroundAction): boolean;
};

export function createPlayground(
  sandbox: Sandbox,
  { adminKey, shop }: Pick<ConsoleOptions, "adminKey"> & { shop(): string },
): Playground {
  const shopper = createShopper();
  let memory: Memory = {};
  let results: string[] = [];
  let exchanges: ShownExchange[] = [];
  let problem: string | null = null;
  let isBusy = false;

  function note(exchange: Exchange): void {
    const step = PLAYGROUND_STEPS[results.length]?.name ?? "";
    exchanges.push({ id: exchanges.length + 1, step, ...showExchange(exchange) });
  }
  const newAct = (): Act =>
    createAct(
      { sandbox, shop: shop(), run: newRun(0, "playground", "Playground") },
      () => {},
      note,
    );

  async function runNext(): Promise<boolean> {
    const step = PLAYGROUND_STEPS[results.length];
    if (!step) return false;
    problem = null;
    try {
      results.push(await step.run({ act: newAct(), shopper, memory }));
      return true;
    } catch (error) {
      problem = problemOf(error, "step");
      return false;
    }
  }

  async function perform(action: PlaygroundAction): Promise<void> {
    if (action === "again") {
      // The client stays registered: an agent registers once.
      memory = { ...(memory.clientId !== undefined && { clientId: memory.clientId }) };
      results = [];
      exchanges = [];
      problem = null;
    } else if (action === "next") await runNext();
    else while (await runNext());
  }

  function stateOf(at: number): StepState {
    if (at < results.length) return "done";
    if (at > results.length) return "waiting";
    if (isBusy) return "running";
    return problem === null ? "waiting" : "failed";
  }

  async function views(): Promise<Pick<PlaygroundState, "shopper" | "merchant">> {
    const act = newAct();
    const { browser } = memory;
    const [seenByShopper, seenByMerchant] = await Promise.all([
      browser ? readShopperView(act, browser).catch(() => null) : null,
      adminKey ? readMerchantView(act, adminKey).catch(() => null) : null,
    ]);
    return { shopper: seenByShopper, merchant: seenByMerchant };
  }

  return {
    async state() {
      return {
        isBusy,
        problem,
        steps: PLAYGROUND_STEPS.map(({ name }, at) => ({
          name,
          state: stateOf(at),
          result: results[at] ?? null,
        })),
        exchanges,
        ...(await views()),
      };
    },
    start(action) {
      if (isBusy) return false;
      isBusy = true;
      void perform(action).finally(() => {
        isBusy = false;
      });
      return true;
    },
  };
}
