// SPEC "Retry policy by priority", number by number.
import { describe, expect, test } from "vitest";
import { defaultPriority, maxRetries, nextRetryMs } from "../../../app/domain/bus/retry-policy.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const TABLE: [priority: number, retries: number, backoff: number[]][] = [
  [1, 5, [10 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE]],
  [2, 4, [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR]],
  [3, 3, [2 * MINUTE, 15 * MINUTE, HOUR]],
  [4, 3, [15 * MINUTE, HOUR, 6 * HOUR]],
  [5, 2, [HOUR, 6 * HOUR]],
];

describe.each(TABLE)("priority %i", (priority, retries, backoff) => {
  const item = (retryCount: number) => ({ priority, retryCount, maxRetries: retries });

  test(`has ${retries} attempts`, () => {
    expect(maxRetries(priority)).toBe(retries);
  });

  test("waits the table's delay: never less, at most 10 % more", () => {
    for (let failures = 1; failures < retries; failures += 1) {
      const delay = backoff[failures - 1] as number;
      expect(nextRetryMs(item(failures - 1), 0)).toBe(delay);
      for (const random of [0.1, 0.5, 0.9, 0.999_999]) {
        const waited = nextRetryMs(item(failures - 1), random) as number;
        expect(waited).toBeGreaterThanOrEqual(delay);
        expect(waited).toBeLessThanOrEqual(delay * 1.1);
      }
    }
  });

  test("makes a dead letter at the failure that reaches the maximum", () => {
    expect(nextRetryMs(item(retries - 1), 0.5)).toBeNull();
    expect(nextRetryMs(item(retries), 0.5)).toBeNull();
  });

  test("a longer Retry-After is followed, a shorter one is ignored", () => {
    const first = backoff[0] as number;
    expect(nextRetryMs(item(0), 0, first + 1_234)).toBe(first + 1_234);
    expect(nextRetryMs(item(0), 0, first - 1)).toBe(first);
    expect(nextRetryMs(item(retries - 1), 0, HOUR)).toBeNull();
  });

  test("a Retry-After of a year does not delay the row indefinitely", () => {
    expect(nextRetryMs(item(0), 0, 365 * 24 * HOUR)).toBe(24 * HOUR);
  });
});

test("jitter spreads many rows: a thousand do not come due at one moment", () => {
  const waits = Array.from({ length: 1_000 }, () =>
    nextRetryMs({ priority: 1, retryCount: 0, maxRetries: 5 }, Math.random()),
  );
  expect(new Set(waits).size).toBeGreaterThan(300);
});

test.each([
  ["inventory", 1],
  ["order", 2],
  ["customer", 3],
  ["invoice", 3],
  ["product", 4],
  ["store", 5],
])("the events of %s have priority %i", (entityType, priority) => {
  expect(defaultPriority(entityType, `${entityType}.updated`)).toBe(priority);
});

test("an analytics event has the lowest priority, whichever entity it is about", () => {
  expect(defaultPriority("customer", "analytics.batch")).toBe(5);
  expect(defaultPriority("customer", "analytics")).toBe(5);
  expect(defaultPriority("customer", "analytics_opt_in.changed")).toBe(3);
});
