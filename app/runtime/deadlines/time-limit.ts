/** One limit of time for several waits, one after another. */
export type TimeLimit = {
  /** Waits for `work`, or until the time is over. The work itself continues. */
  wait(work: Promise<unknown> | null): Promise<void>;
  /** Call it after the last wait: the timer keeps the process alive. */
  clear(): void;
};

export function startTimeLimit(ms: number): TimeLimit {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return {
    async wait(work) {
      await Promise.race([work, over]);
    },
    clear: () => clearTimeout(timer),
  };
}
