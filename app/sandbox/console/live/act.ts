/** What a scenario acts with: the store's own controls, and calls to the service, each noted as a step. */
import { textOf } from "../../exchange.ts";
import type { Sandbox } from "../../sandbox.ts";
import type { Customer } from "../../storefront/state.ts";
import type { SendWebhookOptions } from "../../storefront/webhooks/sender.ts";
import type { WebhookDelivery } from "../../storefront/webhooks/delivery.ts";
import type { Subject } from "./received.ts";
import type { Place, Run, Step, Tone } from "./run.ts";
import { callService, ServiceAway } from "./service-client.ts";
import type { ServiceAnswer, ServiceCall } from "./service-client.ts";

/** A call that is a step of its own. `text`: the step in words. `expected`: 200 alone by default. */
type StepCall = ServiceCall & {
  from: Place;
  text: string;
  method: "GET" | "POST" | "DELETE";
  path: string;
  expected?: number[];
};

export type Act = {
  sandbox: Sandbox;
  shop: string;
  run: Run;
  step(step: Omit<Step, "atMs">): void;
  /** Calls the service; throws `ScenarioProblem` unless it answers with one of `expected`. */
  call(call: StepCall): Promise<ServiceAnswer>;
  /** Reads from the service without a step of its own. */
  peek(path: string, headers: Record<string, string>): Promise<ServiceAnswer>;
  /** Does what sends webhooks under one event id, which the run follows. */
  send(
    work: (options: SendWebhookOptions) => Promise<WebhookDelivery[]>,
    from?: Place,
  ): Promise<WebhookDelivery[]>;
};

/** The scenario cannot go on; the text is for the person who pressed the button. */
export class ScenarioProblem extends Error {
  override name = "ScenarioProblem";
}

/** The text of an error on the page. `what`: what failed. */
export function problemOf(error: unknown, what: "scenario" | "step"): string {
  if (error instanceof ScenarioProblem || error instanceof ServiceAway) return error.message;
  return `The ${what} failed: ${error instanceof Error ? error.message : String(error)}`;
}

/** A call of a step as it went over the wire. */
export type Exchange = {
  from: Place;
  text: string;
  method: string;
  path: string;
  call: ServiceCall;
  answer: ServiceAnswer;
};

export function createAct(
  { sandbox, shop, run }: Pick<Act, "sandbox" | "shop" | "run">,
  onStep: (step: Step) => void,
  onExchange?: (exchange: Exchange) => void,
): Act {
  const step: Act["step"] = (one) => {
    const made = { ...one, atMs: Date.now() - run.startedAt };
    run.steps.push(made);
    onStep(made);
  };
  return {
    sandbox,
    shop,
    run,
    step,
    async call({ from, text, method, path, expected = [200], ...call }) {
      const answer = await callService(new URL(path, sandbox.appUrl()), method, call);
      onExchange?.({ from, text, method, path, call, answer });
      const isExpected = expected.includes(answer.status);
      const { status, ms } = answer;
      step({ from, to: "service", text, status, ms, tone: isExpected ? "good" : "bad" });
      if (isExpected) return answer;
      const reason = textOf(answer.fields["message"]) || textOf(answer.fields["error_description"]);
      throw new ScenarioProblem(
        `${text}: the service answered ${status}${reason ? `. ${reason}` : ""}`,
      );
    },
    peek: (path, headers) => callService(new URL(path, sandbox.appUrl()), "GET", { headers }),
    async send(work, from = "storefront") {
      const eventId = crypto.randomUUID();
      run.causes.add(eventId);
      const deliveries = await work({ eventId });
      for (const { topic, status, ms } of deliveries)
        step({
          from,
          to: "service",
          text: `Webhook ${topic}`,
          status,
          ms,
          tone: toneOf(status),
        });
      if (deliveries.length === 0)
        throw new ScenarioProblem("The service has not subscribed to this store's webhooks.");
      if (deliveries.every(({ status }) => status === null))
        throw new ScenarioProblem("The service does not answer: the webhook did not arrive.");
      return deliveries;
    },
  };
}

const toneOf = (status: number | null): Tone =>
  status !== null && status >= 200 && status < 300 ? "good" : "bad";

export const subjectOf = ({ gid, firstName, lastName, email }: Customer): Subject => ({
  gid,
  name: [firstName, lastName].filter(Boolean).join(" "),
  email: email ?? "",
});
