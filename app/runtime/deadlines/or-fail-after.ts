import { createDeadlines } from "./deadlines.ts";

const deadlines = createDeadlines();

/**
 * The result of `work`, or the error of `late` when that takes longer than `ms`. The work itself may
 * go on; nobody waits for it any more. Cheap enough for every delivery.
 */
export async function orFailAfter<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  const deadline = deadlines.in(ms);
  const over = new Promise<never>((_, reject) =>
    deadline.signal.once("abort", () => reject(late())),
  );
  try {
    return await Promise.race([work, over]);
  } finally {
    deadline.clear();
  }
}
