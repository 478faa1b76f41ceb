// Timeouts for thousands of concurrent calls with one timer. A timer or an AbortSignal.timeout per
// call stays in memory until it expires: fifteen seconds of finished calls, which the garbage
// collector would carry along.
import { EventEmitter } from "node:events";
import { createSlotPool } from "../slot-pool.ts";

const LOOK_EVERY_MS = 100;

export type Deadlines = {
  /**
   * `signal` emits `abort` once, up to 0.1 s after the deadline, unless `clear` was called before.
   */
  in(ms: number): { signal: EventEmitter; clear(): void };
};

export function createDeadlines(): Deadlines {
  const waiting = createSlotPool<{ at: number; signal: EventEmitter }>();
  let looking: NodeJS.Timeout | undefined;
  let count = 0;

  function look(): void {
    const now = performance.now();
    for (const call of waiting.all()) {
      if (call.at > now) continue;
      call.at = Number.POSITIVE_INFINITY;
      call.signal.emit("abort");
    }
  }

  return {
    in(ms) {
      const signal = new EventEmitter();
      const takeOut = waiting.put({ at: performance.now() + ms, signal });
      count += 1;
      looking ??= setInterval(look, LOOK_EVERY_MS).unref();
      return {
        signal,
        clear() {
          takeOut();
          count -= 1;
          if (count > 0) return;
          clearInterval(looking);
          looking = undefined;
        },
      };
    },
  };
}
