/** A call that travels over the map: from one box to another, on its way or answered. */
import type { ObservedRequest } from "../../request-log.ts";
import type { ObservedWebhook } from "../../storefront/webhooks/sender.ts";
import type { Place, Step } from "./run.ts";

export type Pulse = {
  from: Place;
  to: Place;
  text: string;
  isAnswered: boolean;
  /** Null: no answer. */
  status: number | null;
  ms: number;
};

export function pulseOfRequest({ system, request, ...answer }: ObservedRequest): Pulse {
  const { isAnswered, status, ms } = answer;
  const to = system === "customerAccounts" ? "storefront" : system;
  const text = `${request.method} ${request.path.split("?", 1)[0] ?? ""}`;
  return { from: "service", to, text, isAnswered, status, ms };
}

export const pulseOfWebhook = ({ webhook, delivery }: ObservedWebhook): Pulse => ({
  from: "storefront",
  to: "service",
  text: `Webhook ${webhook.topic}`,
  isAnswered: delivery !== null,
  status: delivery?.status ?? null,
  ms: delivery?.ms ?? 0,
});

/** Null for a step that is no call to the service, and for a webhook, which is observed itself. */
export function pulseOfStep({ from, to, text, status, ms }: Step): Pulse | null {
  if (to !== "service" || text.startsWith("Webhook ")) return null;
  return { from, to, text, isAnswered: true, status, ms: ms ?? 0 };
}
