import { setTimeout as pause } from "node:timers/promises";

/**
 * The result of `work`, at the next multiple of `ms` since it began: from outside, work that takes a
 * little longer looks like work that does not.
 */
export async function inSteps<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const begunAt = performance.now();
  try {
    return await work();
  } finally {
    await pause(ms - ((performance.now() - begunAt) % ms));
  }
}
