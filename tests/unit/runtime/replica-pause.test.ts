import { expect, test } from "vitest";
import { pauseMs } from "../../../app/runtime/database/replica/replica-use.ts";

test("a replica that does not answer is left alone for longer each time, for at most a minute", () => {
  expect([1, 2, 3, 4, 5, 50].map((times) => pauseMs("away", times))).toEqual([
    5_000, 10_000, 20_000, 40_000, 60_000, 60_000,
  ]);
});

test("a replica that is behind is asked again after a second, however often it was behind", () => {
  expect([1, 2, 50].map((times) => pauseMs("behind", times))).toEqual([1_000, 1_000, 1_000]);
});
