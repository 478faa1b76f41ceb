// Answers of outside systems that a process keeps for a moment: concurrent requests share one call. What is kept has a
// limit in size, because callers choose how many answers there are and how long each is.
import { LRUCache } from "lru-cache";
import type { Clock } from "./clock.ts";

/** The memory of an entry beside its key and its answer. */
const ENTRY_SIZE = 200;

export type AnswerCache<T> = (key: string, ask: () => Promise<T>) => Promise<T>;

/**
 * The kept answer of the key, else what `ask` returns. A failure is not kept. Beyond `maxSize`, in
 * characters, the answers that were not asked for longest make room.
 */
export function createAnswerCache<T extends object>({
  clock,
  keptMs,
  maxSize,
  sizeOf,
}: {
  clock: Clock;
  keptMs: number;
  maxSize: number;
  sizeOf(answer: T): number;
}): AnswerCache<T> {
  const answers = new LRUCache<string, T, () => Promise<T>>({
    ttl: keptMs,
    ttlResolution: 0,
    perf: { now: () => clock.now().getTime() },
    maxSize,
    sizeCalculation: (answer, key) => key.length + sizeOf(answer) + ENTRY_SIZE,
    fetchMethod: (_key, _stale, { context: ask }) => ask(),
    // Those who wait get the answer although other answers took its place meanwhile.
    ignoreFetchAbort: true,
  });
  return (key, ask) => answers.forceFetch(key, { context: ask });
}
