import { describe, expect, test } from "vitest";
import { toCsvLine } from "../../../app/runtime/text/csv.ts";

describe("a line of a CSV file", () => {
  test("ends with CRLF; numbers, dates and missing values are written plainly", () => {
    expect(toCsvLine(["a", -1.5, true, new Date(0), null, ""])).toBe(
      "a,-1.5,true,1970-01-01T00:00:00.000Z,,\r\n",
    );
  });

  test.each(["\n", "\r", "\r\n", ",", '"'])("keeps a %j inside its value", (mark) => {
    expect(toCsvLine([`a${mark}b`, "c"])).toBe(`"a${mark.replace('"', '""')}b",c\r\n`);
  });

  test("keeps what follows a comma or a quote, which ends no cell inside of quotes", () => {
    expect(toCsvLine(['a,=1+2,"=3"'])).toBe('"a,=1+2,""=3"""\r\n');
  });

  test.each(["=1", "+1", "-1", "@x", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20x"])(
    "does not let a spreadsheet run %j",
    (text) => {
      expect(toCsvLine([text])).toBe(`'${text}\r\n`);
    },
  );

  test.each([
    ["\t=1", "'\t'=1"],
    ["\r=1", `"'\r'=1"`],
    ["\n=1", `"'\n'=1"`],
  ])("does not let a spreadsheet run %j", (text, safe) => {
    expect(toCsvLine([text])).toBe(`${safe}\r\n`);
  });

  // Where the decimal mark is a comma, spreadsheets separate cells by semicolons, and quotes within a cell are
  // text: `1,"a` is one cell, and what follows is the next one.
  test.each([
    ["a;=1+2", "a;'=1+2"],
    ["a;;-1", "a;;'-1"],
    ["a;@x;+1", "a;'@x;'+1"],
    ["=1;+2", "'=1;'+2"],
    ["a;\uff1d1", "a;'\uff1d1"],
    ["a;b-c", "a;b-c"],
    ["a; =1+2", "a; '=1+2"],
    ["a;\u00a0\u3000=1+2", "a;\u00a0\u3000'=1+2"],
  ])("does not let a spreadsheet that separates by semicolons run %j", (text, safe) => {
    expect(toCsvLine([1, text])).toBe(`1,${safe}\r\n`);
  });

  test.each(["\n", "\r", "\r\n", "\n\n", "\t"])(
    "does not let it run what follows a %j either",
    (mark) => {
      expect(toCsvLine([1, `a${mark}=1+2`])).toMatch(/^1,"?a\s+'=1\+2"?\r\n$/);
    },
  );

  // There a cell that begins with a quote is unquoted, and what follows its second quote is added as it is.
  test.each([
    [`a;"=1+2;b`, `"a;""'=1+2;b"`],
    [`a;""=1+2`, `"a;""""'=1+2"`],
    [`a; " @x`, `"a; "" '@x"`],
    [`a\n"=1+2`, `"a\n""'=1+2"`],
  ])(
    "does not let it run what follows a quote at the beginning of such a cell: %j",
    (text, safe) => {
      expect(toCsvLine([1, text])).toBe(`1,${safe}\r\n`);
    },
  );

  test.each([" =1", "\u00a0=1", "\ufeff=1", "\u2028@x", "\u3000 +1"])(
    "does not let a spreadsheet that drops the space in front run %j",
    (text) => {
      expect(toCsvLine([text])).toBe(`'${text}\r\n`);
    },
  );

  test("takes time in proportion to a text of nothing but marks", () => {
    const text = `;" `.repeat(200_000);
    const started = performance.now();
    toCsvLine([text]);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
