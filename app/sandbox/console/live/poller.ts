/** Looks at something again and again, and sooner when something happened. One look at a time. */
export type Poller = {
  start(): void;
  stop(): void;
  /** Soon; during a look: soon after it. */
  lookSoon(): void;
};

const SOON_MS = 150;

/** `look` never rejects, and returns how long to rest before the next look. */
export function createPoller(look: () => Promise<number>): Poller {
  let isRunning = false;
  let isLooking = false;
  let isAskedAgain = false;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Infinity;

  async function lookOnce(): Promise<void> {
    isLooking = true;
    isAskedAgain = false;
    dueAt = Infinity;
    const restMs = await look();
    isLooking = false;
    if (isRunning) schedule(isAskedAgain ? SOON_MS : restMs);
  }

  /** Unless a look is due sooner. */
  function schedule(inMs: number): void {
    const at = Date.now() + inMs;
    if (isLooking || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => void lookOnce(), inMs);
    timer.unref();
  }

  return {
    start() {
      isRunning = true;
      schedule(0);
    },
    stop() {
      isRunning = false;
      clearTimeout(timer);
      dueAt = Infinity;
    },
    lookSoon() {
      isAskedAgain = true;
      if (isRunning) schedule(SOON_MS);
    },
  };
}
