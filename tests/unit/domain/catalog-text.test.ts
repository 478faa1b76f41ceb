import { expect, test } from "vitest";
import { toPlainText } from "../../../app/domain/commerce/catalog-text.ts";
import { processorMs } from "../../support/processor-time.ts";

test("markup, scripts and comments are removed, also when they are written as entities", () => {
  expect(toPlainText("<p>Warm <b>socks</b></p><script>alert(1)</script>", 100)).toBe("Warm socks");
  expect(toPlainText("a &lt;script&gt;alert(1)&lt;/script&gt; b<!-- c -->", 100)).toBe("a b");
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
