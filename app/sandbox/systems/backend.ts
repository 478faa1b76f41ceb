/**
 * The sandbox remote backend: accepts an event, transforms it, and asks the service to deliver it
 * to each destination.
 */
import { fieldsOf, json, textOf } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { Saving } from "../state-file.ts";

export type EnqueuedEvent = {
  at: string;
  queueId: number;
  eventId: string;
  shop: string;
  workspace: string | null;
  body: Record<string, unknown>;
};
/** `status` is null when there was no response. */
export type BackendDelivery = {
  at: string;
  queueId: number;
  eventId: string;
  channel: string;
  status: number | null;
  answer: unknown;
};
export type BackendState = { enqueued: EnqueuedEvent[]; deliveries: BackendDelivery[] };

const MAX_KEPT_CALLS = 2000;
const FIRST_QUEUE_ID = 7_000_001;
const TIMEOUT_MS = 20_000;
/** The fields of an event that no event may miss. */
const REQUIRED = [
  "event_id",
  "source",
  "event_type",
  "entity_type",
  "entity_id",
  "tenant_shop",
  "payload",
  "destinations",
  "priority",
  "timestamp",
];

/**
 * Web analytics gets hits without personal data; every other destination gets the event's payload.
 */
function transform(event: EnqueuedEvent, channel: string): unknown {
  if (channel !== "web_analytics") return event.body["payload"];
  const name = textOf(event.body["event_type"]).replace(/[^A-Za-z0-9]+/g, "_");
  return {
    client_id: `${event.queueId}.1`,
    events: [{ name, params: { event_id: event.eventId, engagement_time_msec: 1 } }],
  };
}

export function createBackend(
  state: BackendState,
  saving: Saving,
  app: { url: () => string; webhookSecret: string | undefined; stopped: AbortSignal },
) {
  const keep = <Entry>(list: Entry[], entry: Entry): void => {
    list.push(entry);
    if (list.length > MAX_KEPT_CALLS) list.shift();
    saving.soon();
  };

  async function deliver(event: EnqueuedEvent, channel: string): Promise<void> {
    const { queueId, eventId } = event;
    const result = await post({
      queue_id: queueId,
      event_id: eventId,
      channel,
      transformed_payload: transform(event, channel),
      delivery_config: { method: "POST", endpoint: "", credentials_key: null },
    });
    const at = new Date().toISOString();
    keep(state.deliveries, { at, queueId, eventId, channel, ...result });
  }

  async function post(message: object): Promise<Pick<BackendDelivery, "status" | "answer">> {
    try {
      const response = await fetch(`${app.url()}/events/deliver`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(app.webhookSecret !== undefined && { "x-backend-webhook-secret": app.webhookSecret }),
        },
        body: JSON.stringify(message),
        signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), app.stopped]),
      });
      return { status: response.status, answer: await response.json().catch(() => null) };
    } catch (error) {
      return { status: null, answer: error instanceof Error ? error.name : String(error) };
    }
  }

  return {
    handle(call: Call): ApiResponse {
      if (!/^Bearer \S+$/.test(call.headers.authorization ?? ""))
        return json(401, { ok: false, error: "unauthorized" });
      if (call.method !== "POST" || call.path !== "/integration-enqueue")
        return json(404, { ok: false, error: "not_found" });
      const body = fieldsOf(call.body);
      const missing = REQUIRED.filter((name) => body[name] === undefined);
      const destinations = destinationsOf(body);
      if (missing.length > 0 || destinations.length === 0)
        return json(400, { ok: false, error: "invalid_request", missing });
      const known = findEnqueued(state, body);
      if (known) return json(200, { ok: true, queue_id: known.queueId });
      const event = toEvent(state, call, body);
      keep(state.enqueued, event);
      // After the response: a real backend processes the event asynchronously.
      setImmediate(() => void Promise.all(destinations.map((channel) => deliver(event, channel))));
      return json(200, { ok: true, queue_id: event.queueId });
    },
    enqueued: (): EnqueuedEvent[] => [...state.enqueued],
    deliveries: (): BackendDelivery[] => [...state.deliveries],
  };
}

const destinationsOf = ({ destinations }: Record<string, unknown>): string[] =>
  Array.isArray(destinations) ? destinations.map(textOf).filter(Boolean) : [];

/** The same event of the same store, sent before. */
function findEnqueued(
  { enqueued }: BackendState,
  body: Record<string, unknown>,
): EnqueuedEvent | undefined {
  const eventId = textOf(body["event_id"]);
  const shop = textOf(body["tenant_shop"]);
  return enqueued.find((event) => event.eventId === eventId && event.shop === shop);
}

function toEvent(
  { enqueued }: BackendState,
  call: Call,
  body: Record<string, unknown>,
): EnqueuedEvent {
  const workspace = call.headers["x-workspace-id"];
  return {
    at: new Date().toISOString(),
    queueId: (enqueued.at(-1)?.queueId ?? FIRST_QUEUE_ID - 1) + 1,
    eventId: textOf(body["event_id"]),
    shop: textOf(body["tenant_shop"]),
    workspace: typeof workspace === "string" ? workspace : null,
    body,
  };
}
