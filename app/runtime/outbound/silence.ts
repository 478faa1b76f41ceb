// A system that takes connections and gives no answer. Every call would wait for its whole time limit; a pass of many
// calls asks once in a while whether it answers again, and goes on without it.
import { OutboundError } from "../errors.ts";

/** A silent system is asked again by one call after this time. */
const AGAIN_AFTER_MS = 10_000;

export type Silence = {
  /**
   * The result of `call`, or at once an OutboundError of kind `timeout`: an earlier call ran out of its time, and none was
   * answered since.
   */
  ask<T>(call: () => Promise<T>): Promise<T>;
};

/** Knows whether one system (the `system` of its OutboundErrors) is silent. Times are those of `performance.now()`. */
export function watchSilence(system: string): Silence {
  let noticedAt = -Infinity;
  /** Null while the system answers. */
  let againAt: number | null = null;
  return {
    async ask(call) {
      const begunAt = performance.now();
      if (againAt !== null) {
        if (begunAt < againAt)
          throw new OutboundError(system, "timeout", {
            message: `the ${system} gives no answer, and is asked again in a while`,
          });
        againAt = begunAt + AGAIN_AFTER_MS;
      }
      try {
        const result = await call();
        // A call that began before the silence says nothing about it.
        if (begunAt > noticedAt) againAt = null;
        return result;
      } catch (error) {
        if (error instanceof OutboundError && error.system === system && error.kind === "timeout") {
          noticedAt = performance.now();
          againAt = noticedAt + AGAIN_AFTER_MS;
        }
        throw error;
      }
    },
  };
}
