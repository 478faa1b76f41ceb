// What two versions of a policy differ in, and the text that people read.
import { describe, expect, it } from "vitest";
import { findChanges } from "../../app/components/consent/policy-changes.ts";
import { toReadableText } from "../../app/domain/consent/policy-text/readable-text.ts";
import { processorMs } from "../support/processor-time.ts";

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

  it("has the cells of a table on lines, and its rows apart", () => {
    expect(
      toReadableText(
        "<table><thead><tr><th>Cookie</th><th>Days</th></tr></thead><tr><td colspan=2><p>_ga</p><td>2</table>after",
      ),
    ).toBe("Cookie\nDays\n\n_ga\n\n2\n\nafter");
  });

  it("has the numbers and the nesting of its lists", () => {
    expect(
      toReadableText(
        `<ol type="a" start='2'><li><p>Data</p><ul><li>Name<li>City</ul></li><li>Time</ol><p>End`,
      ),
    ).toBe("b. Data\n    • Name\n    • City\n c. Time\n\nEnd");
  });

  it("keeps every word that a browser shows, whatever the markup around it", () => {
    expect(toReadableText(`${"<div>".repeat(300)}deep`)).toBe("deep");
    expect(toReadableText(`${"<ul><li>".repeat(300)}deep`)).toContain("deep");
    expect(toReadableText("<p>1 < 2 &lt;p&gt; <a title='>'>word</a></ul><p x")).toBe(
      "1 < 2 <p> word",
    );
    expect(toReadableText("<p>İ<SCRIPT>a</p></Script >b<!-- <p> -->c<!DOCTYPE html>d")).toBe(
      "İbcd",
    );
  });

  it.each(
    Object.entries({
      "a cell of many columns": "<table><tr><td colspan=1000000>x</td></tr></table>",
      "a cell of many rows": "<table><tr><td rowspan=1000000>x</td></tr></table>",
      "many rows": `<table>${"<tr><td>x".repeat(55_000)}`,
      "many cells": `<table><tr>${"<td>x".repeat(100_000)}`,
      "nested tables": "<table><tr><td>x".repeat(31_000),
      "nested blocks": "<div>x".repeat(83_000),
      "nested lists": "<ul><li>x".repeat(55_000),
      "closing tags of nothing": "<div></p>".repeat(55_000),
      "more items than Roman numbers": `<ol type=i>${"<li>x".repeat(5_000)}`,
      "lines in nested lists": `${"<ul><li>".repeat(100)}${"x<br>".repeat(19_700)}`,
      attributes: `<p ${"a=b ".repeat(120_000)}>x`,
      "quotes without an end": `<p>${"<p a='".repeat(83_000)}`,
      "tags without an end": `<p>${"<!-- <script><a ".repeat(31_000)}`,
      "empty blocks": "<p></p>".repeat(71_000),
      "horizontal lines": `<p>${"<hr>".repeat(120_000)}`,
      entities: `<p>${"&amp;".repeat(100_000)}`,
    }),
  )("of %s costs less than a second, and is no longer than a megabyte", (_, body) => {
    const before = processorMs();
    const text = toReadableText(body);
    expect(processorMs() - before).toBeLessThan(1_000);
    expect(text.length).toBeLessThan(1_000_000);
  });
});
