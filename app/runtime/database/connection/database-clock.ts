// The time of the home database in this process. What one process stores, others compare with their own
// time and with the database's: a process whose clock is wrong would end sessions, mandates and windows
// of a sync too early or too late.
import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import type { Database } from "../database.ts";

const MEASURE_EVERY_MS = 15_000;
/** A machine that slept or was moved: the clock is compared again at once. */
const MAX_JUMP_MS = 1_000;
/** The accuracy of clocks that are kept in time: smaller differences are not corrected. */
const TOLERANCE_MS = 5;
/** A slow answer is not a wrong clock: up to this much of its way is not taken for a difference. */
const MAX_WAY_MS = 100;
/** A difference of this size or more is reported to the operator. */
const MAX_UNREPORTED_MS = 1_000;

export type DatabaseClock = Clock & {
  /** Compares the clocks now, and from time to time until it is stopped. */
  follow(home: Database): Promise<{ stop(): void }>;
};

type Options = {
  log: Log;
  /** The process's own time and its monotonic time, in milliseconds. */
  own?: { now(): number; elapsed(): number };
};

const PROCESS = { now: () => Date.now(), elapsed: () => performance.now() };

/** Until the first comparison it is the process's clock; while the database is away, it keeps the last difference. */
export function createDatabaseClock({ log, own = PROCESS }: Options): DatabaseClock {
  let offsetMs = 0;
  let measured = { now: own.now(), elapsed: own.elapsed() };
  let followed: Database | null = null;
  let measuring: Promise<void> | null = null;

  const hasJumped = (now: number) =>
    Math.abs(now - measured.now - (own.elapsed() - measured.elapsed)) > MAX_JUMP_MS;

  async function compare(home: Database): Promise<void> {
    const askedAt = own.elapsed();
    const time = await home.time();
    // The answer's way back is not taken off: this time is then never ahead of the database's.
    measured = { now: own.now(), elapsed: own.elapsed() };
    const difference = Math.round(time - measured.now);
    const way = Math.min(measured.elapsed - askedAt, MAX_WAY_MS);
    const isInTime = difference <= TOLERANCE_MS && difference >= -TOLERANCE_MS - way;
    const next = isInTime ? 0 : difference;
    if (Math.abs(next - offsetMs) > MAX_UNREPORTED_MS)
      log.warn("clock.differs", {
        process_is_ahead_by_ms: -next,
        reason: "The database's time is used. Keep this machine's clock in time (NTP).",
      });
    offsetMs = next;
  }

  /** Compares the clocks; calls at the same time share one comparison. */
  function measure(home: Database): Promise<void> {
    measuring ??= compare(home)
      .catch((error: unknown) =>
        log.warn("clock.not_compared", { reason: (error as Error).message }),
      )
      .finally(() => (measuring = null));
    return measuring;
  }

  return {
    now() {
      const now = own.now();
      if (followed && hasJumped(now)) void measure(followed);
      return new Date(now + offsetMs);
    },
    async follow(home) {
      followed = home;
      await measure(home);
      const timer = setInterval(() => void measure(home), MEASURE_EVERY_MS).unref();
      return { stop: () => clearInterval(timer) };
    },
  };
}
