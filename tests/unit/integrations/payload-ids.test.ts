import { expect, test } from "vitest";
import { gidOf, parseWithExactIds } from "../../../app/integrations/storefront/payload-ids.ts";

test("a number above 2^53 keeps its digits, and every other value its type", () => {
  expect(
    parseWithExactIds(
      '{"id":9007199254740993,"safe":9007199254740991,"text":"9007199254740993","ratio":1234567890123456.5,"huge":1e400}',
    ),
  ).toEqual({
    id: "9007199254740993",
    safe: 9007199254740991,
    text: "9007199254740993",
    ratio: 1234567890123456.5,
    huge: Infinity,
  });
});

test("a name of the object's prototype in a payload stays a field of the payload", () => {
  const parsed = parseWithExactIds('{"__proto__":{"id":9007199254740993}}');
  expect(Object.keys(parsed as object)).toEqual(["__proto__"]);
  expect(({} as { id?: unknown }).id).toBeUndefined();
});

test.each([
  [1, "gid://shopify/Customer/1"],
  ["9007199254740993", "gid://shopify/Customer/9007199254740993"],
  [Number("9007199254740993"), null],
  [-1, null],
  [1.5, null],
  ["1 OR 1=1", null],
  ["9".repeat(21), null],
  [{ toString: () => "1" }, null],
  [undefined, null],
])("the number %j names the customer %j", (id, gid) => {
  expect(gidOf("Customer", id)).toBe(gid);
});
