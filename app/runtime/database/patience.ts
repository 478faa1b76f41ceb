// A short wait for an answer that may never come, with one timer for all who wait: a timer per call on the path of
// every request would outlive it (docs/decisions/025).
import { createSlotPool } from "../slot-pool.ts";

export const SILENT = Symbol("silent");

export type Patience = {
  /** SILENT once the answer has taken too long; it may still come, and its error is then of no consequence. */
  wait<T>(answer: Promise<T>): Promise<T | typeof SILENT>;
};

type Waiter = { looks: number; giveUp(silent: typeof SILENT): void };

/**
 * Gives up at the look number `looks`, which come every `everyMs`. Looks are counted instead of time: a process that
 * was busy or suspended has one look for it, and reads what came meanwhile before the next.
 */
export function createPatience({ everyMs = 50, looks = 4 } = {}): Patience {
  const waiting = createSlotPool<Waiter>();
  let timer: NodeJS.Timeout | undefined;
  let count = 0;

  function look(): void {
    for (const waiter of waiting.all()) {
      waiter.looks += 1;
      if (waiter.looks === looks) waiter.giveUp(SILENT);
    }
  }

  return {
    async wait<T>(answer: Promise<T>) {
      let giveUp: Waiter["giveUp"] = () => {};
      const silence = new Promise<typeof SILENT>((resolve) => (giveUp = resolve));
      const takeOut = waiting.put({ looks: 0, giveUp });
      count += 1;
      timer ??= setInterval(look, everyMs).unref();
      try {
        return await Promise.race([answer, silence]);
      } finally {
        takeOut();
        count -= 1;
        if (count === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      }
    },
  };
}
