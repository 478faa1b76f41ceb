// A deadline fires once when it expires, and never after it was cleared.
import { once } from "node:events";
import { expect, test } from "vitest";
import { createDeadlines } from "../../../app/runtime/deadlines/deadlines.ts";

test("fires when its time is over, not before, and only once", async () => {
  const deadlines = createDeadlines();
  const begun = performance.now();
  const { signal, clear } = deadlines.in(150);
  let calls = 0;
  signal.on("abort", () => (calls += 1));
  const other = deadlines.in(600);
  await once(signal, "abort");
  expect(performance.now() - begun).toBeGreaterThanOrEqual(150);
  await once(other.signal, "abort");
  expect(calls).toBe(1);
  clear();
  other.clear();
});

test("never fires when it was cleared, and a later one still does", async () => {
  const deadlines = createDeadlines();
  const first = deadlines.in(10);
  let calls = 0;
  first.signal.on("abort", () => (calls += 1));
  first.clear();
  for (const ms of [10, 150]) {
    const later = deadlines.in(ms);
    await once(later.signal, "abort");
    later.clear();
  }
  expect(calls).toBe(0);
});
