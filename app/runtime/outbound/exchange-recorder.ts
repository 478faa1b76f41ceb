// Keeps the last call that a piece of work made to an outside system, for the merchant's event page.
// Only references are held here; what is stored of them is decided by outbound-exchange.ts.
import { AsyncLocalStorage } from "node:async_hooks";
import type { OutboundAnswer, OutboundCall } from "./outbound.ts";

type RecordedCall = {
  call: OutboundCall;
  startedAt: Date;
  latencyMs: number;
  /** Null when no complete response came. */
  answer: OutboundAnswer | null;
  /** The kind of the error without a response. */
  failure: string | null;
};

/** The calls of one delivery: those of other stores and events are never recorded in it. */
export type Recording = {
  readonly shop: string;
  readonly eventId: string;
  calls: number;
  last: RecordedCall | null;
};

const recordings = new AsyncLocalStorage<Recording>();

export const newRecording = (shop: string, eventId: string): Recording => ({
  shop,
  eventId,
  calls: 0,
  last: null,
});

export const recordCalls = <T>(recording: Recording, work: () => T): T =>
  recordings.run(recording, work);

/** Costs one look-up where nothing is recorded. */
export function noteCall(
  call: OutboundCall,
  latencyMs: number,
  result: { answer: OutboundAnswer } | { failure: string },
): void {
  const recording = recordings.getStore();
  if (!recording || call.exchangesCredentials) return;
  const { shop, event_id: eventId = recording.eventId } = call.about ?? {};
  // Work that deliveries share (a token's renewal) runs in the context of the first of them.
  if (shop !== recording.shop || eventId !== recording.eventId) return;
  recording.calls += 1;
  recording.last = {
    call,
    startedAt: new Date(Date.now() - latencyMs),
    latencyMs,
    answer: "answer" in result ? result.answer : null,
    failure: "failure" in result ? result.failure : null,
  };
}
