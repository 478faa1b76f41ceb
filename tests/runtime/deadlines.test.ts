// What takes too long is told once, and what was finished in time never.
import { once } from "node:events";
import { expect, test } from "vitest";
import { createDeadlines } from "../../app/runtime/deadlines.ts";

test("is told when its time is over, not before, and only once", async () => {
  const deadlines = createDeadlines();
  const begun = performance.now();
  const { signal, clear } = deadlines.in(150);
  let told = 0;
  signal.on("abort", () => (told += 1));
  const other = deadlines.in(600);
  await once(signal, "abort");
  expect(performance.now() - begun).toBeGreaterThanOrEqual(150);
  await once(other.signal, "abort");
  expect(told).toBe(1);
  clear();
  other.clear();
});

test("of one that was cleared is never told, and a later one still is", async () => {
  const deadlines = createDeadlines();
  const first = deadlines.in(10);
  let told = 0;
  first.signal.on("abort", () => (told += 1));
  first.clear();
  for (const ms of [10, 150]) {
    const later = deadlines.in(ms);
    await once(later.signal, "abort");
    later.clear();
  }
  expect(told).toBe(0);
});
