// Which scripts of a page ran: each notes its name.
import type { Page } from "playwright-core";

/** Code that notes that it ran. */
export const ran = (name: string) => `(window.ran ||= []).push("${name}")`;
/** Without a vendor, it runs as soon as analytics is allowed, after all others that are. */
export const LAST = `<script type="text/plain" data-consent="analytics">${ran("last")}</script>`;

/** The names of the scripts that ran, in order. */
export const runsOn = (page: Page) => page.evaluate("window.ran || []") as Promise<string[]>;

/** Resolves when everything that is allowed has run: the last script of the page did. */
export const lastRan = async (page: Page): Promise<void> =>
  void (await page.waitForFunction("window.ran && window.ran.includes('last')"));

/** Makes a choice once the loader is there. */
export async function chooseOn(page: Page, flags: Record<string, boolean>): Promise<void> {
  await page.waitForFunction("window._crmConsent");
  await page.evaluate(
    (chosen) => void (window as any)._crmConsent.choose(chosen) as unknown,
    flags,
  );
}
