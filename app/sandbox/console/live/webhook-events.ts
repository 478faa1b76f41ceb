/**
 * Which webhook caused an event of the service's log. The service derives the event's id from the
 * store, the webhook's own id and the part of the work (docs/decisions/008-sandbox.md).
 */
import { createHash } from "node:crypto";

type SentWebhook = { shop: string; webhookId: string };

export type WebhookEvents = {
  add(webhook: SentWebhook): void;
  /** The id of the webhook that caused the event; undefined: none that was sent here. */
  causeOf(eventId: string): string | undefined;
};

const PARTS = ["whole", "payload", "order"];
const MAX_KEPT = 6_000;

export function createWebhookEvents(): WebhookEvents {
  const causes = new Map<string, string>();
  return {
    add(webhook) {
      for (const part of PARTS) causes.set(eventIdOf(webhook, part), webhook.webhookId);
      for (const eventId of causes.keys()) {
        if (causes.size <= MAX_KEPT) break;
        causes.delete(eventId);
      }
    },
    // An event that follows from another carries its id first: `<id>:welcome`.
    causeOf: (eventId) => causes.get(eventId.split(":", 1)[0] ?? ""),
  };
}

function eventIdOf({ shop, webhookId }: SentWebhook, part: string): string {
  const digest = createHash("sha256").update(`${shop}\n${webhookId}\n${part}`).digest("hex");
  const third = `5${digest.slice(13, 16)}`;
  const fourth = `8${digest.slice(17, 20)}`;
  return [digest.slice(0, 8), digest.slice(8, 12), third, fourth, digest.slice(20, 32)].join("-");
}
