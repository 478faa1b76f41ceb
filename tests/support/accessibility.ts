import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Page } from "playwright-core";

const AXE = readFileSync(
  resolve(import.meta.dirname, "../../node_modules/axe-core/axe.min.js"),
  "utf8",
);

type Found = { id: string; impact: string | null; nodes: { html: string }[] };

/** The design system says "mixed" in two ways at once, and both are true. */
const NOT_OURS = /Polaris-Checkbox__Input--indeterminate/;

/** What axe finds serious or critical against WCAG 2.2 AA, a line each; the page's own policy does not stop it. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(place: Document, options: object): Promise<{ violations: Found[] }> };
    };
    return (
      await axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
    ).violations;
  });
  const ours = found
    .map(({ nodes, ...rest }) => ({
      ...rest,
      nodes: nodes.filter(
        ({ html }) => rest.id !== "aria-conditional-attr" || !NOT_OURS.test(html),
      ),
    }))
    .filter(({ nodes }) => nodes.length > 0);
  return ours
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}

/** How much wider than the window the page is: a person on a phone should never have to scroll sideways. */
export const findOverflow = (page: Page): Promise<number> =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
