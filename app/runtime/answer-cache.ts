// Answers of outside systems that a process keeps for a moment: concurrent requests share one call. What is kept has a
// limit in size, because callers choose how many answers there are and how long each is.

type Entry<T> = { until: number; answer: Promise<T>; size: number };

/** What an entry takes beside its key and its answer. */
const ENTRY_SIZE = 200;

export type AnswerCache<T> = (key: string, now: number, ask: () => Promise<T>) => Promise<T>;

/**
 * The kept answer of the key, else what `ask` returns. A failure is not kept. Beyond `maxSize`, in
 * characters, the oldest answers make room.
 */
export function createAnswerCache<T>({
  keptMs,
  maxSize,
  sizeOf,
}: {
  keptMs: number;
  maxSize: number;
  sizeOf(answer: T): number;
}): AnswerCache<T> {
  const entries = new Map<string, Entry<T>>();
  let size = 0;

  function drop(key: string, entry: Entry<T>): void {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    size -= entry.size;
  }

  /** The order of the entries is that of their ends. */
  function makeRoom(now: number): void {
    for (const [key, entry] of entries) {
      if (entry.until > now && size <= maxSize) return;
      drop(key, entry);
    }
  }

  return (key, now, ask) => {
    makeRoom(now);
    const known = entries.get(key);
    if (known) return known.answer;
    const entry: Entry<T> = { until: now + keptMs, answer: ask(), size: 0 };
    entries.set(key, entry);
    entry.answer.then(
      (answer) => {
        if (entries.get(key) !== entry) return;
        entry.size = key.length + sizeOf(answer) + ENTRY_SIZE;
        size += entry.size;
        makeRoom(now);
      },
      () => drop(key, entry),
    );
    return entry.answer;
  };
}
