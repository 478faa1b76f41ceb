import { describe, expect, test } from "vitest";
import { toCsvLine } from "../../../app/runtime/text/csv.ts";

describe("a line of a CSV file", () => {
  test("ends with CRLF; numbers, dates and missing values are written plainly", () => {
    expect(toCsvLine(["a", -1.5, true, new Date(0), null, ""])).toBe(
      "a,-1.5,true,1970-01-01T00:00:00.000Z,,\r\n",
    );
  });

  test.each(["\n", "\r", "\r\n", ",", '"'])("keeps a %j inside its value", (mark) => {
    expect(toCsvLine([`a${mark}=1+2`, "b"])).toBe(`"a${mark.replace('"', '""')}=1+2",b\r\n`);
  });

  test.each(["=1", "+1", "-1", "@x", "\t=1", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20x"])(
    "does not let a spreadsheet run %j",
    (text) => {
      expect(toCsvLine([text])).toBe(`'${text}\r\n`);
    },
  );

  test.each(["\r=1", "\n=1"])("does not let a spreadsheet run %j", (text) => {
    expect(toCsvLine([text])).toBe(`"'${text}"\r\n`);
  });
});
