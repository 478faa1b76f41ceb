// Orders sent to the bus under load, with each response recorded.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { order } from "./events.ts";
import { ADMIN_KEY, SHOP } from "../service.ts";

export type SentEvent = { eventId: string; status: number; begunAt: number; endedAt: number };
export type EventOptions = {
  shop?: string;
  destinations?: readonly string[];
  eventId?: string;
  payload?: Record<string, unknown>;
};

/** Status 0: no response. */
export async function sendEvent(
  url: string,
  { shop = SHOP, destinations = ["erpsys"], eventId = randomUUID(), payload }: EventOptions = {},
): Promise<SentEvent> {
  const body = JSON.stringify(
    order({
      event_id: eventId,
      entity_id: `order-${eventId}`,
      destinations,
      ...(payload && { payload }),
    }),
  );
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${ADMIN_KEY}` };
  const begunAt = performance.now();
  const status = await fetch(`${url}/events/ingest?shop=${shop}`, {
    method: "POST",
    headers,
    body,
  }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
  return { eventId, status, begunAt, endedAt: performance.now() };
}

export const sendEvents = (
  url: string,
  count: number,
  options?: EventOptions,
): Promise<SentEvent[]> =>
  Promise.all(Array.from({ length: count }, () => sendEvent(url, options)));

/** Long enough that the senders leave the processor to what they wait for. */
const PAUSE_MS = 20;
/** A rejected sender waits longer: its calls slow the start that it waits for. */
const PAUSE_AFTER_REJECTION_MS = 250;

/** Sends continuously, several at once, until stopped. */
export function startEventLoad(
  url: () => string,
  { atOnce = 8, ...options }: EventOptions & { atOnce?: number } = {},
): { sent: SentEvent[]; accepted(): number; stop(): Promise<SentEvent[]> } {
  const sent: SentEvent[] = [];
  let isWanted = true;
  const loops = Array.from({ length: atOnce }, async () => {
    while (isWanted) {
      const answer = await sendEvent(url(), options);
      sent.push(answer);
      await pause(answer.status === 202 ? PAUSE_MS : PAUSE_AFTER_REJECTION_MS);
    }
  });
  return {
    sent,
    accepted: () => sent.filter(({ status }) => status === 202).length,
    async stop() {
      isWanted = false;
      await Promise.all(loops);
      return sent;
    },
  };
}
