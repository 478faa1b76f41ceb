// A steady load of events and consents on a service, with each response recorded.
import { randomUUID } from "node:crypto";
import { sendEvent, type SentEvent } from "../bus/event-load.ts";
import { RETURN_ORIGIN, SHOP } from "../service.ts";

export type Sent = Pick<SentEvent, "status" | "begunAt" | "endedAt"> & { id: string };

export type Load = { sent: Sent[]; acknowledged(): Sent[]; stop(): Promise<void> };

/** Sends at its pace and does not react to the responses, as many callers do. */
function startLoad(perSecond: number, send: () => Promise<Sent>): Load {
  const sent: Sent[] = [];
  const waiting = new Set<Promise<unknown>>();
  const pace = setInterval(() => {
    const one = send().then((answer) => sent.push(answer));
    waiting.add(one);
    void one.finally(() => waiting.delete(one));
  }, 1_000 / perSecond);
  return {
    sent,
    acknowledged: () => sent.filter(({ status }) => status === 200 || status === 202),
    async stop() {
      clearInterval(pace);
      await Promise.all(waiting);
    },
  };
}

export const startEvents = (url: string, perSecond: number): Load =>
  startLoad(perSecond, async () => {
    const { eventId, ...rest } = await sendEvent(url);
    return { id: eventId, ...rest };
  });

/** Each consent is of a new visitor; their records form the store's chain. */
export const startConsents = (url: string, perSecond: number): Load =>
  startLoad(perSecond, async () => {
    const id = randomUUID();
    const begunAt = performance.now();
    const status = await fetch(`${url}/auth/consent-sync?shop=${SHOP}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: RETURN_ORIGIN },
      body: JSON.stringify({ method: "banner", consent_cookie: true, visitor_id: id }),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    return { id, status, begunAt, endedAt: performance.now() };
  });
