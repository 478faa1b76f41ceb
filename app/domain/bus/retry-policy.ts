// The retry table (SPEC "Retry policy by priority").
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export type Priority = 1 | 2 | 3 | 4 | 5;

/**
 * SPEC's delays after the first, second, ... failure. The number of entries is `max_retries`. The
 * failure that reaches it makes a dead letter, so the last delay of each priority is never waited.
 *
 * A row keeps the `max_retries` it was enqueued with. A change of the delays applies to waiting rows
 * too, at their next failure.
 */
export const BACKOFF_MS: Record<Priority, readonly number[]> = {
  1: [10 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE],
  2: [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR],
  3: [2 * MINUTE, 15 * MINUTE, HOUR],
  4: [15 * MINUTE, HOUR, 6 * HOUR],
  5: [HOUR, 6 * HOUR],
};

const JITTER = 0.1;
/** The maximum Retry-After, so that a system cannot postpone a row forever. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/** The default priority of an entity's events (DECISIONS 12). */
const DEFAULT_PRIORITY: Record<string, Priority> = {
  inventory: 1,
  order: 2,
  customer: 3,
  product: 4,
  invoice: 3,
};

/** `analytics.batch` and the like: no entity, but a kind of event about any. */
const ANALYTICS_EVENT = /^analytics(\.|$)/i;

export const defaultPriority = (entityType: string, eventType = ""): Priority =>
  ANALYTICS_EVENT.test(eventType) ? 5 : (DEFAULT_PRIORITY[entityType] ?? 5);

export const maxRetries = (priority: number): number => BACKOFF_MS[priority as Priority].length;

/**
 * The delay after a failure that a retry can heal, in milliseconds; null: dead letter. Never
 * shorter than the table and up to 10 % longer, so that rows do not retry at one instant; a longer
 * `Retry-After` is obeyed.
 */
export function nextRetryMs(
  item: { priority: number; retryCount: number; maxRetries: number },
  random: number,
  retryAfterMs = 0,
): number | null {
  if (item.retryCount + 1 >= item.maxRetries) return null;
  const table = BACKOFF_MS[item.priority as Priority];
  const delay = table[Math.min(item.retryCount, table.length - 1)] as number;
  return Math.max(
    Math.round(delay * (1 + JITTER * random)),
    Math.min(retryAfterMs, MAX_RETRY_AFTER_MS),
  );
}
