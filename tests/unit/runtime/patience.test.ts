// An answer is waited for while the process is able to notice it, and no longer.
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createPatience, SILENT } from "../../../app/runtime/database/patience.ts";

const LIMITS = { everyMs: 20, looks: 3 };
const forever = new Promise<never>(() => {});

/** As a process that computes, or is suspended. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("an answer that does not come is given up, for each waiter by itself", async () => {
  const patience = createPatience(LIMITS);
  expect(await Promise.all([patience.wait(forever), patience.wait(Promise.resolve(1))])).toEqual([
    SILENT,
    1,
  ]);
  expect(await patience.wait(forever)).toBe(SILENT);
});

test("an answer that came while the process was busy is not given up", async () => {
  const patience = createPatience(LIMITS);
  const answer = patience.wait(pause(1, "answer"));
  block(20 * LIMITS.everyMs);
  expect(await answer).toBe("answer");
});

test("an error is passed on before the limit, and of no consequence after it", async () => {
  const patience = createPatience(LIMITS);
  await expect(patience.wait(Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  let fail: (error: Error) => void = () => {};
  const late = new Promise<never>((_, reject) => (fail = reject));
  expect(await patience.wait(late)).toBe(SILENT);
  fail(new Error("too late"));
  await pause(1);
});
