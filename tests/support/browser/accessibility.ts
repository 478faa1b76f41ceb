import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Frame, Page } from "playwright-core";

const AXE = readFileSync(
  resolve(import.meta.dirname, "../../../node_modules/axe-core/axe.min.js"),
  "utf8",
);

type Found = { id: string; impact: string | null; nodes: { html: string }[] };

/** Polaris marks "mixed" in two ways at once; both are correct. */
const NOT_OURS = /Polaris-Checkbox__Input--indeterminate/;

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/**
 * What axe-core finds against WCAG 2.2 AA, a line per rule. `strict` also counts what is less than
 * serious, and the best practices: for pages that are ours from the first tag to the last.
 */
export async function findA11yViolations(
  page: Page | Frame,
  { strict = false }: { strict?: boolean } = {},
): Promise<string[]> {
  // A button that becomes usable fades in: its contrast is judged when the transition has ended.
  const isLoaded = await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.all(transitions.map((one) => one.finished.catch(() => {})));
    return "axe" in window;
  });
  // Evaluated, not added as a script: the page's own policy does not stop it. Half a megabyte: once per page.
  if (!isLoaded) await page.evaluate(AXE);
  const found = await page.evaluate(
    async (rules) => {
      const { axe } = window as unknown as {
        axe: { run(place: Document, options: object): Promise<{ violations: Found[] }> };
      };
      // Only what is read below: a selector of each element that was looked at takes longer than the rules.
      const options = { runOnly: rules, resultTypes: ["violations"], selectors: false };
      return (await axe.run(document, options)).violations;
    },
    strict ? [...WCAG, "best-practice"] : WCAG,
  );
  return found
    .filter(({ impact }) => strict || impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => ({
      id,
      nodes: nodes.filter(({ html }) => id !== "aria-conditional-attr" || !NOT_OURS.test(html)),
    }))
    .filter(({ nodes }) => nodes.length > 0)
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}

/** The cells of tables that a phone shows only after scrolling sideways. */
export const findCellsOutside = (page: Page): Promise<string[]> =>
  page
    .locator("main td")
    .evaluateAll((cells) =>
      cells
        .filter((cell) => cell.getBoundingClientRect().right > window.innerWidth)
        .map((cell) => cell.textContent ?? ""),
    );

/** How many pixels the page is wider than the window: horizontal scrolling on a phone. */
export const findOverflow = (page: Page | Frame): Promise<number> =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));

/** On which side of its last word a sentence of this element has its full stop. */
export const sideOfFullStop = (page: Page, selector: string): Promise<"left" | "right"> =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      let text: Text | null = null;
      for (let node = walker.nextNode(); node; node = walker.nextNode())
        if (/[.!]\s*$/.test(node.textContent ?? "")) text = node as Text;
      if (!text) throw new Error("no sentence");
      const { length } = text.data.trimEnd();
      const leftOf = (at: number) => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left;
      };
      return leftOf(length - 1) > leftOf(length - 2) ? "right" : "left";
    });

/** The language that a screen reader speaks it in. */
export const languageOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => element.closest("[lang]")?.getAttribute("lang"));
