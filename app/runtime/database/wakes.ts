// The notifications of a transaction, sent after its commit. Inside the transaction they would make
// its commit wait for every other notifying one, because Postgres lets one of them commit at a time.
// `wake_workers` (in the migrations) collects them in a setting of the transaction. Whoever dies
// between the commit and the notification costs a poll's time: the workers look for due rows anyway.
import type pg from "pg";

/** With these in one message a transaction costs no round trip more. */
export const COLLECT_WAKES = "SET LOCAL queue.wakes = '[]'";
export const READ_WAKES = "SELECT current_setting('queue.wakes') AS wakes";

const SEND =
  "SELECT pg_notify(queue, payload) FROM unnest($1::text[], $2::text[]) AS w(queue, payload)";

export type WakeSender = {
  /** Takes the result of `READ_WAKES`. Returns at once; nobody waits for the workers to wake up. */
  send(collected: string): void;
};

/** Notifications of transactions that commit at the same time share a statement. */
export function createWakeSender(pool: pg.Pool): WakeSender {
  const waiting = new Map<string, [queue: string, payload: string]>();
  let isSending = false;

  async function sendAll(): Promise<void> {
    isSending = true;
    while (waiting.size > 0) {
      const wakes = [...waiting.values()];
      waiting.clear();
      await pool
        .query(SEND, [wakes.map(([queue]) => queue), wakes.map(([, payload]) => payload)])
        // The workers' poll finds the rows.
        .catch(() => {});
    }
    isSending = false;
  }

  return {
    send(collected) {
      for (const wake of JSON.parse(collected) as [string, string][])
        waiting.set(JSON.stringify(wake), wake);
      if (!isSending) void sendAll();
    },
  };
}
