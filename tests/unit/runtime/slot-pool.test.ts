// A pool holds everything that was added and not removed, however often slots are reused.
import { expect, test } from "vitest";
import { createSlotPool } from "../../../app/runtime/slot-pool.ts";

test("holds what was added until it is removed, and reuses slots", () => {
  const slots = createSlotPool<string>();
  const takeOut = ["a", "b", "c"].map((name) => slots.put(name));
  takeOut[1]?.();
  expect(slots.all()).toEqual(["a", "c"]);
  slots.put("d");
  slots.put("e");
  expect(slots.all().sort()).toEqual(["a", "c", "d", "e"]);
  takeOut[0]?.();
  takeOut[2]?.();
  expect(slots.all().sort()).toEqual(["d", "e"]);
});
