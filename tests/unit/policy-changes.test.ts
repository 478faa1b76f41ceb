// What two versions of a policy differ in, and the text that people read.
import { describe, expect, it } from "vitest";
import { findChanges } from "../../app/components/consent/policy-changes.ts";
import { toReadableText } from "../../app/domain/consent/policy-text.ts";

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");
const inShort = (before: string, after: string) =>
  findChanges(before, after)
    .filter(({ kind }) => kind !== "same")
    .map(({ kind, text }) => `${kind}: ${text}`);

describe("the changes of a policy", () => {
  it("are named by words within a changed line, and by lines around it", () => {
    expect(inShort("a\nWe keep your name.\nb\n", "a\nWe keep your name and city.\nb\nc\n")).toEqual(
      ["added:  and city", "added: c\n"],
    );
  });

  it("leave out unchanged lines far from them, and say how many", () => {
    const before = `${lines(1, 20)}old\n${lines(21, 40)}`;
    const after = `${lines(1, 20)}new\n${lines(21, 40)}`;
    expect(findChanges(before, after)).toEqual([
      { kind: "left_out", text: "18" },
      { kind: "same", text: lines(19, 20) },
      { kind: "removed", text: "old" },
      { kind: "added", text: "new" },
      { kind: "same", text: "\n" },
      { kind: "same", text: lines(21, 22) },
      { kind: "left_out", text: "18" },
    ]);
  });

  it("are none in equal texts, also when only the ends of lines differ", () => {
    expect(inShort("a\nb\n", "a\r\nb")).toEqual([]);
  });

  it("of two long texts without a common word are found within seconds", () => {
    const words = (word: string) => Array.from({ length: 40_000 }, (_, at) => word + at).join(" ");
    expect(findChanges(words("a"), words("b")).map(({ kind }) => kind)).toEqual([
      "removed",
      "added",
    ]);
  });
});

describe("a policy as people read it", () => {
  it("has its paragraphs, lists and tables, and nothing of its markup", () => {
    expect(
      toReadableText(
        `<h2>Data</h2><style>p{}</style><p>Name &amp; <a href="javascript:alert(1)">city</a> &lt;b&gt;</p><ul><li>One</li><li>Two</li></ul><script>alert(1)</script>`,
      ),
    ).toBe("Data\n\nName & city <b>\n\n• One\n• Two");
  });

  it("is the stored text itself where that has no markup", () => {
    const text = "1 < 2\n\n  as written & kept  \n";
    expect(toReadableText(text)).toBe(text);
  });

  it("of deeply nested markup is found, and not an error", () => {
    expect(() => toReadableText(`${"<div>".repeat(20_000)}deep`)).not.toThrow();
  });
});
