import { expect, test } from "vitest";
import { toPlainText } from "../../../app/domain/commerce/catalog-text.ts";
import { processorMs } from "../../support/processor-time.ts";

test("markup, scripts and comments are removed, also when they are written as entities", () => {
  expect(toPlainText("<p>Warm <b>socks</b></p><script>alert(1)</script>", 100)).toBe("Warm socks");
  expect(toPlainText("a &lt;script&gt;alert(1)&lt;/script&gt; b<!-- c -->", 100)).toBe("a b");
});

test.each([
  "<textarea><textarea><img src=x onerror=alert(1)>",
  "&lt;xmp&gt;&lt;img src=x onerror=alert(1)&gt;",
  "&lt;&lt;!-- --&gt;img src=x onerror=alert(1)&gt;",
  "&lt;&lt;svg&gt;&lt;/svg&gt;img src=x onerror=alert(1)&gt;",
  "<<svg></svg>img src=x onerror=alert(1)>",
  "<title><img src=x onerror=alert(1)></title>",
])("no tag is left of %j", (html) => {
  expect(toPlainText(html, 200)).not.toMatch(/<[a-z!?/]/i);
});

test("what is not shown separates words as a tag does", () => {
  expect(
    toPlainText("Size<style>p{}</style>Large<!-- x -->red<script/>alert(1)</script>", 100),
  ).toBe("Size Large red");
});

test("characters that only a language model reads are removed, and the rest is one line", () => {
  // Bytes as variation selectors and as tags, fillers, unassigned code points, a word joiner, a new line.
  const hidden =
    "\u{E0100}\u{E0048}\u{E0002}\u034F\u115F\u1160\u17B4\u2065\u2800\u3164\uFE0F\uFFA0\uFFF0\u2060";
  expect(
    toPlainText(`Wool${hidden} socks \u200b\n\u{E0001}for ${hidden} winter${hidden}`, 100),
  ).toBe("Wool socks for winter");
});

test.each([
  "<script ",
  "<SCRIPT\t",
  "<script></script ",
  "<script>a</script",
  "<!--",
  "<!-- -->",
  "<style </script ",
  "<",
  "<a ",
  "&amp;",
])("2 MB of %j are read in well under a second", (unit) => {
  const begunAt = processorMs();
  toPlainText(unit.repeat(2_000_000 / unit.length), 1_000);
  expect(processorMs() - begunAt).toBeLessThan(1_000);
});
