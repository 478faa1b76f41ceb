// What a person with a screen reader or a keyboard would stumble over, as axe-core finds it.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The design system says "mixed" in two ways at once, and both are true. */
const NOT_OURS = /^aria-conditional-attr: .*Polaris-Checkbox__Input--indeterminate/;

/** Serious and critical findings, as `rule: element`. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const found = await page.evaluate(async () => {
    const axe = (
      window as unknown as {
        axe: {
          run(): Promise<{
            violations: { id: string; impact: string | null; nodes: { html: string }[] }[];
          }>;
        };
      }
    ).axe;
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
  return found.filter((finding) => !NOT_OURS.test(finding));
}
