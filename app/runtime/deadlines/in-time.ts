import { setTimeout as pause } from "node:timers/promises";

/** The result of `work`, or of `late` when that takes longer than `ms`. The work itself goes on. */
export function inTime<T>(work: Promise<T>, ms: number, late: () => NoInfer<T>): Promise<T> {
  const answered = new AbortController();
  const timeout = pause(ms, undefined, { signal: answered.signal }).then(late);
  return Promise.race([work, timeout]).finally(() => {
    // The race has its answer: the end of the pause is no error of the caller.
    timeout.catch(() => {});
    answered.abort();
  });
}
