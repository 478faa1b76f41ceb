// What happened to one delivery, oldest first, with the waits between. Pure.
import type { ListedAttempt } from "./attempt-list.ts";

export type TimelineStep =
  | { kind: "received"; at: string; waitMs: null }
  | { kind: "attempt"; at: string; waitMs: number; attempt: ListedAttempt }
  | { kind: "skipped" | "delivered" | "failed"; at: string; waitMs: number }
  | { kind: "next"; at: string; waitMs: null }
  | { kind: "in_progress"; at: null; waitMs: null };

type Delivery = {
  status: string;
  next_attempt_at: string | null;
  delivered_at: string | null;
  dead_since: string | null;
  skip: unknown;
};

/** `attempts`: the delivery's own, newest first. */
export function toTimeline(
  receivedAt: string,
  delivery: Delivery,
  attempts: readonly ListedAttempt[],
): TimelineStep[] {
  let before = Date.parse(receivedAt);
  const since = (at: string) => {
    const waitMs = Math.max(0, Date.parse(at) - before);
    before = Date.parse(at);
    return waitMs;
  };
  const made = attempts.toReversed().map((attempt): TimelineStep => {
    // The log has the end of an attempt; the wait is the time until it began.
    const waitMs = Math.max(0, since(attempt.created_at) - attempt.latency_ms);
    return { kind: "attempt", at: attempt.created_at, waitMs, attempt };
  });
  const end = endOf(delivery, attempts.length > 0, since);
  return [{ kind: "received", at: receivedAt, waitMs: null }, ...made, ...(end ? [end] : [])];
}

/** Null where the last attempt says it. */
function endOf(
  {
    status,
    next_attempt_at: nextAt,
    delivered_at: deliveredAt,
    dead_since: deadAt,
    skip,
  }: Delivery,
  hasAttempts: boolean,
  since: (at: string) => number,
): TimelineStep | null {
  if (status === "pending" && nextAt) return { kind: "next", at: nextAt, waitMs: null };
  if (status === "processing" || status === "ready")
    return { kind: "in_progress", at: null, waitMs: null };
  if (status === "dead_letter" && deadAt)
    return { kind: "failed", at: deadAt, waitMs: since(deadAt) };
  if (status === "delivered" && deliveredAt && !hasAttempts)
    return { kind: skip ? "skipped" : "delivered", at: deliveredAt, waitMs: since(deliveredAt) };
  return null;
}
