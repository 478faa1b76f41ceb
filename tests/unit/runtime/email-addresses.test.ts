import { expect, test } from "vitest";
import { findEmailAddresses, hasEmailAddress } from "../../../app/runtime/email-addresses.ts";
import { processorMs } from "../../support/processor-time.ts";

/** The address format as a regular expression: correct, but quadratic in a long text. */
const PATTERN = /[^\s"'<>(),;:\\@]+@[^\s"'<>(),;:\\@]+\.[a-z]{2,}/gi;
const ALPHABET = [
  "a",
  "B",
  "1",
  ".",
  "..",
  "@",
  "-",
  "_",
  " ",
  '"',
  "\\",
  "/",
  ".co",
  "\u00e9",
  "\u2003",
  "=",
];

test("finds what the regular expression finds, in any text of the relevant characters", () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let n = 0; n < 20_000; n += 1) {
    const length = Math.floor(random() * 24);
    const text = Array.from(
      { length },
      () => ALPHABET[Math.floor(random() * ALPHABET.length)],
    ).join("");
    expect([text, ...findEmailAddresses(text)]).toEqual([text, ...(text.match(PATTERN) ?? [])]);
  }
});

test("finds no more addresses than asked for, and takes no @ alone for one", () => {
  expect(findEmailAddresses("a@b.example c@d.example e@f.example", 2)).toEqual([
    "a@b.example",
    "c@d.example",
  ]);
  expect(hasEmailAddress('{"note":"write to ann@example.com"}')).toBe(true);
  expect(hasEmailAddress('{"note":"@ann, see example.com"}')).toBe(false);
});

test.each([
  ["letters before no @", `${"a".repeat(2_000_000)}@`],
  ["dots after an @", `a@${"a.".repeat(1_000_000)}`],
  ["nothing but @", "@".repeat(2_000_000)],
  ["addresses without an end", "a@a".repeat(700_000)],
  ["one-letter top levels", `a@${".a".repeat(1_000_000)}`],
])("reads 2 MB of %s in well under a second", (_, text) => {
  const begunAt = processorMs();
  findEmailAddresses(text);
  expect(processorMs() - begunAt).toBeLessThan(1_000);
});
