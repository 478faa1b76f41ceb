// The attempts of one delivery: usually one, more after a failure, and many during the outage.
import { maxRetries, nextRetryMs } from "../domain/bus/retry-policy.ts";
import { HOUR_MS, type Calendar } from "./calendar.ts";
import type { Dice } from "./random.ts";

export type DemoAttempt = {
  at: Date;
  end: "delivered" | "retry" | "dead_letter";
  httpStatus: number | null;
  latencyMs: number;
  error: string;
};

/** The usual answer of each system: its time in milliseconds and its status. */
const SYSTEMS: Readonly<Record<string, { latencyMs: number; status: number }>> = {
  cms: { latencyMs: 210, status: 202 },
  storefront: { latencyMs: 260, status: 200 },
  web_analytics: { latencyMs: 70, status: 204 },
  profile_platform: { latencyMs: 130, status: 200 },
  erpsys: { latencyMs: 320, status: 201 },
  email: { latencyMs: 160, status: 200 },
};
const TIMEOUT_MS = 10_000;
/** The share of deliveries that fail on a usual day. */
const FAILING = 0.014;
/** The share of the outage's dead letters that stayed; the others were replayed after it. */
const FORGOTTEN = 0.12;

export function planAttempts(
  dice: Dice,
  calendar: Calendar,
  { channel, at, priority }: { channel: string; at: Date; priority: number },
): DemoAttempt[] {
  const { latencyMs: usual = 150, status = 200 } = SYSTEMS[channel] ?? {};
  const attempts: DemoAttempt[] = [];
  const delivered = (when: Date): DemoAttempt[] => [
    ...attempts,
    {
      at: when,
      end: "delivered",
      httpStatus: status,
      latencyMs: dice.longTail(usual),
      error: "",
    },
  ];
  let when = new Date(at.getTime() + dice.int(40, 900));
  for (let retryCount = 0; ; retryCount += 1) {
    const isDown = calendar.isOutage(when);
    if (!isDown && (retryCount > 0 || !dice.chance(FAILING))) return delivered(when);
    const failure = failureOf(dice, channel, when, isDown);
    const delay = nextRetryMs(
      { priority, retryCount, maxRetries: maxRetries(priority) },
      dice.next(),
    );
    if (delay === null && dice.chance(FORGOTTEN))
      return [...attempts, { ...failure, end: "dead_letter" }];
    attempts.push(failure);
    if (delay === null)
      return delivered(new Date(calendar.outage.until.getTime() + dice.int(0, HOUR_MS)));
    when = new Date(when.getTime() + delay);
    // The newest deliveries are still on their way; today's rows are left to the workers of today.
    if (when > calendar.end) return delivered(calendar.end);
  }
}

function failureOf(dice: Dice, channel: string, at: Date, isDown: boolean): DemoAttempt {
  const isSilent = dice.chance(0.3);
  const httpStatus = isSilent ? null : isDown ? 503 : dice.pick([429, 500, 502]);
  return {
    at,
    end: "retry",
    httpStatus,
    latencyMs: isSilent ? TIMEOUT_MS : dice.longTail(90),
    error: isSilent ? `${channel} did not answer in time` : `${channel}: status ${httpStatus}`,
  };
}

/** A failure that no retry can heal. */
export const toFailure = (
  at: Date,
  { httpStatus, error }: { httpStatus: number | null; error: string },
): DemoAttempt => ({
  at,
  end: "dead_letter",
  httpStatus,
  latencyMs: httpStatus === null ? 4 : 120,
  error,
});
