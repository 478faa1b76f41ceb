import { expect, test } from "vitest";
import { z } from "zod";
import { reasonsOf } from "../../../app/runtime/field-problem.ts";

const Body = z.object({ names: z.array(z.string()).min(1).max(3), size: z.number().min(1) });
const reasons = (value: unknown) => reasonsOf(Body.safeParse(value).error!);

test("a text in place of a list is refused for its type, however long it is", () => {
  for (const names of ["", "a,b", "a long list of names"])
    expect(reasons({ names, size: 1 })).toEqual({
      names: "Invalid input: expected array, received string",
    });
});

test("each wrong field has a reason, and a wrong body has one of its own", () => {
  expect(reasons({ names: [1], size: 0 })).toEqual({
    "names.0": "Invalid input: expected string, received number",
    size: "Too small: expected number to be >=1",
  });
  expect(reasons([])).toEqual({ body: "Invalid input: expected object, received array" });
});
