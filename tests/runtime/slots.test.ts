// What is under way: everything that was put in and not taken out, however often places are used again.
import { expect, test } from "vitest";
import { createSlots } from "../../app/runtime/slots.ts";

test("holds what was put in until it is taken out, and uses places again", () => {
  const slots = createSlots<string>();
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
