import { setTimeout as pause } from "node:timers/promises";

/**
 * How long a part of a page that comes later may take: the page's stream ends after five seconds
 * (app/entry.server.tsx), and what has not come by then is an error.
 */
export const LATE_PART_MS = 4_000;

/** The result of `work`, or of `late` when that takes longer than `ms`. The work itself continues. */
export function inTime<T>(work: Promise<T>, ms: number, late: () => NoInfer<T>): Promise<T> {
  const answered = new AbortController();
  const timeout = pause(ms, undefined, { signal: answered.signal }).then(late);
  return Promise.race([work, timeout]).finally(() => {
    // The race has its answer: the end of the pause is no error of the caller.
    timeout.catch(() => {});
    answered.abort();
  });
}
