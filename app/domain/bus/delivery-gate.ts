// Lets a row run alone in its process. A worker that dies takes many rows with it, and the row that
// killed it is only identifiable when it was the only one started. While a row runs alone the
// others wait, and then they run for as long, so that a bad row cannot stop the bus.

const SESSION_MS = 1_000;
/**
 * How long the gate stays closed until the rows in flight end; doubles each time that they did not.
 */
const MIN_PATIENCE_MS = 1_000;
const MAX_PATIENCE_MS = 30_000;
const MIN_TURN_MS = 100;
const MAX_TURN_MS = 10_000;

/** One worker's side of the gate. */
export type DeliveryGate = {
  /**
   * True, or a promise of it: the caller may start, and calls `leave` at the end. False: the worker
   * stops.
   */
  enter(): true | Promise<boolean>;
  leave(): void;
  /**
   * Runs `work` while no other row is in flight; rows with fewer `losses` go first. False: the
   * worker stops, and the work did not run.
   */
  runAlone(losses: number, work: () => Promise<void>): Promise<boolean>;
  /** Releases everything of this worker that waits. */
  close(): void;
};

type Waiting = { owner: DeliveryGate; go(mayBegin: boolean): void };
type Alone = Waiting & { losses: number; work(): Promise<void> };

/** All workers of a process share its gate, because they die together. */
export function createDeliveryGates(): () => DeliveryGate {
  /** How many rows are in flight that have entered; a row that runs alone does not enter. */
  let running = 0;
  let isShut = false;
  /** The rows that come while the gate is shut. */
  let waiting: Waiting[] = [];
  /** The rows that still have to run alone, and whether `serve` lets them. */
  let alone: Alone[] = [];
  let isServing = false;
  /** Called when nothing is in flight any more. */
  let onQuiet: (() => void) | null = null;

  const pause = (ms: number) => new Promise<void>((done) => void setTimeout(done, ms).unref());

  /** Whether everything in flight ended within this time. */
  async function isQuietWithin(ms: number): Promise<boolean> {
    if (running > 0) {
      const quiet = new Promise<void>((resolve) => (onQuiet = resolve));
      await Promise.race([quiet, pause(ms)]);
      onQuiet = null;
    }
    return running === 0;
  }

  function open(): void {
    isShut = false;
    running += waiting.length;
    for (const { go } of waiting.splice(0)) go(true);
  }

  /** Runs those that are alone one after another, the ones with the fewest losses first, for a while. */
  async function runSession(): Promise<void> {
    const end = performance.now() + SESSION_MS;
    while (alone.length > 0 && performance.now() < end) {
      const next = alone.reduce((first, one) => (one.losses < first.losses ? one : first));
      alone = alone.filter((one) => one !== next);
      await next.work();
      next.go(true);
    }
  }

  /** Shuts the gate for a session, then opens it for as long, until no row has to run alone. */
  async function serve(): Promise<void> {
    let patienceMs = MIN_PATIENCE_MS;
    while (alone.length > 0) {
      const shutAt = performance.now();
      isShut = true;
      if (await isQuietWithin(patienceMs)) {
        await runSession();
        patienceMs = MIN_PATIENCE_MS;
      } else patienceMs = Math.min(2 * patienceMs, MAX_PATIENCE_MS);
      open();
      const shutFor = performance.now() - shutAt;
      if (running > 0) await pause(Math.min(Math.max(shutFor, MIN_TURN_MS), MAX_TURN_MS));
    }
    isServing = false;
  }

  return () => {
    const gate: DeliveryGate = {
      enter() {
        if (isShut) return new Promise((go) => waiting.push({ owner: gate, go }));
        running += 1;
        return true;
      },
      leave() {
        running -= 1;
        if (running === 0) onQuiet?.();
      },
      runAlone(losses, work) {
        const done = new Promise<boolean>((go) => alone.push({ owner: gate, go, losses, work }));
        if (!isServing) {
          isServing = true;
          void serve();
        }
        return done;
      },
      close() {
        const isOwn = ({ owner }: Waiting) => owner === gate;
        const gone = [...waiting.filter(isOwn), ...alone.filter(isOwn)];
        waiting = waiting.filter((one) => !isOwn(one));
        alone = alone.filter((one) => !isOwn(one));
        for (const { go } of gone) go(false);
      },
    };
    return gate;
  };
}
