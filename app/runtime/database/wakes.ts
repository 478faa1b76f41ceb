// The notifications of a transaction, sent after its commit. Inside they would make the commit wait for
// every other notifying one, because Postgres lets one of them commit at a time. `wake_workers` (in
// the migrations) collects them in a setting of the transaction. A process that dies between the
// commit and the notification costs a poll's time: the workers look for due rows anyway.
import { unnestBatch } from "./array-parameters.ts";

/** Sent with BEGIN and COMMIT in one message, so that a transaction needs no further round trip. */
export const COLLECT_WAKES = "SET LOCAL queue.wakes = '[]'";
export const READ_WAKES = "SELECT current_setting('queue.wakes') AS wakes";

const SEND = `SELECT pg_notify(queue, payload) FROM ${unnestBatch("text", "text")} AS w(queue, payload)`;

/** Postgres takes less than 8,000; an empty payload names everything. */
const MAX_PAYLOAD_BYTES = 7_000;

export type Wake = [queue: string, payload: string];

export type WakeSender = {
  /** Returns at once, without waiting for the workers to wake up. */
  send(wakes: readonly Wake[]): void;
};

/** Notifications of transactions that commit at the same time share a statement. */
export function createWakeSender(
  run: (text: string, values: string[][], name: string) => Promise<unknown>,
): WakeSender {
  const waiting = new Map<string, Wake>();
  let isSending = false;

  async function sendAll(): Promise<void> {
    isSending = true;
    while (waiting.size > 0) {
      const wakes = [...waiting.values()];
      waiting.clear();
      const columns = [wakes.map(([queue]) => queue), wakes.map(([, payload]) => payload)];
      // After a failure the workers' poll finds the rows.
      await run(SEND, columns, "send_wakes").catch(() => {});
    }
    isSending = false;
  }

  return {
    send(wakes) {
      for (const [queue, payload] of wakes) {
        const isShort = Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES;
        const wake: Wake = [queue, isShort ? payload : ""];
        waiting.set(JSON.stringify(wake), wake);
      }
      if (!isSending) void sendAll();
    },
  };
}
