/**
 * The newest run, and what is kept to find its results: the requests that the systems received, the
 * webhooks that were sent, and which events belong to earlier runs.
 */
import type { ObservedRequest } from "../../request-log.ts";
import type { ObservedWebhook } from "../../storefront/webhooks/sender.ts";
import { applyAttempts, newRun } from "./run.ts";
import type { Run, Seen } from "./run.ts";
import type { Attempt, ServiceState } from "./service-watch.ts";
import { createWebhookEvents } from "./webhook-events.ts";

const MAX_SEEN = 400;

export type Runs = {
  newest(): Run | null;
  begin(scenario: string, title: string): Run;
  addRequest(observed: ObservedRequest): void;
  addWebhook(observed: ObservedWebhook): void;
  /** Takes what the service's log says. Returns whether the newest run changed. */
  addAttempts(attempts: readonly Attempt[], service: ServiceState): boolean;
};

export function createRuns(): Runs {
  let run: Run | null = null;
  let count = 0;
  const earlierEvents = new Set<string>();
  const seen: Seen[] = [];
  const webhookEvents = createWebhookEvents();

  return {
    newest: () => run,
    begin(scenario, title) {
      for (const eventId of run?.eventIds ?? []) earlierEvents.add(eventId);
      count += 1;
      run = newRun(count, scenario, title);
      return run;
    },
    addRequest({ system, request }) {
      seen.push({ ...request, system, at: request.at.getTime(), isClaimed: false });
      seen.splice(0, Math.max(0, seen.length - MAX_SEEN));
    },
    addWebhook({ webhook }) {
      webhookEvents.add(webhook);
      if (run?.causes.has(webhook.eventId)) run.webhookIds.add(webhook.webhookId);
    },
    addAttempts: (attempts, service) =>
      run !== null &&
      applyAttempts(run, attempts, {
        service,
        seen,
        causeOf: webhookEvents.causeOf,
        isTaken: (eventId) => earlierEvents.has(eventId),
      }),
  };
}
