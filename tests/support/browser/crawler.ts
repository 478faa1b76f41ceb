// Follows every link from one page on, like a person who opens all of them.
import type { Page } from "playwright-core";
import type { openBrowser } from "./browser.ts";

type Browser = Awaited<ReturnType<typeof openBrowser>>;
type Found = { visited: string[]; problems: string[] };

const TABS = 4;
/** Pages of one kind: the customers of a list, a page with another query. */
const PER_KIND = 2;
/** A page of the app in the admin: each has tests of its own. */
const isScreen = ({ pathname }: URL): boolean => pathname.includes("/admin/apps/");

/**
 * Opens the pages of the first of `origins` and asks for those of the others. A problem is a missing page,
 * a failed request or an error in the console.
 */
export async function crawl(
  browser: Browser,
  { start, origins }: { start: string; origins: string[] },
): Promise<Found> {
  const own = new URL(start).origin;
  const found: Found = { visited: [], problems: [] };
  const kinds = new Map<string, number>();
  const waiting = [new URL(start).href];
  let busy = 0;

  const add = (address: string) => {
    const url = new URL(address);
    url.hash = "";
    if (!origins.includes(url.origin)) return;
    const kind =
      url.origin +
      url.pathname.replace(/\d{3,}/g, ":id").replace(/\/(products|integrations)\/.+/, "/$1/:name");
    const count = kinds.get(kind) ?? 0;
    if (
      count >= (isScreen(url) ? 1 : PER_KIND) ||
      found.visited.includes(url.href) ||
      waiting.includes(url.href)
    )
      return;
    kinds.set(kind, count + 1);
    waiting.push(url.href);
  };

  const tab = async () => {
    const { page, errors, close } = await browser.visit(origins);
    const failed: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
    });
    while (waiting.length > 0 || busy > 0) {
      const address = waiting.shift();
      if (address === undefined) {
        await new Promise((again) => setTimeout(again, 20));
        continue;
      }
      busy += 1;
      found.visited.push(address);
      if (address.startsWith(`${own}/`)) {
        // A page that keeps a stream open is never idle.
        await page.goto(address, { waitUntil: "load" });
        await page.waitForLoadState("networkidle", { timeout: 5_000 }).catch(() => {});
        for (const link of await linksOf(page)) add(link);
        for (const problem of [...failed.splice(0), ...errors.splice(0)])
          found.problems.push(`${address}: ${problem}`);
      } else {
        const { status } = await fetch(address, { redirect: "manual" });
        if (status >= 400) found.problems.push(`${status} ${address}`);
      }
      busy -= 1;
    }
    await close();
  };
  await Promise.all(Array.from({ length: TABS }, tab));
  return found;
}

/** The links of the page and of what it frames; a page of the app is opened inside the admin. */
async function linksOf(page: Page): Promise<string[]> {
  const lists = await Promise.all(
    page
      .frames()
      .map((frame) =>
        frame
          .evaluate(() =>
            [...document.querySelectorAll('a:not([href^="#"])')].map(
              (link) => (link as HTMLAnchorElement).href,
            ),
          )
          .catch(() => []),
      ),
  );
  const base = await page
    .evaluate(() => document.querySelector("iframe")?.dataset.base ?? null)
    .catch(() => null);
  return lists.flat().flatMap((href) => {
    const url = URL.parse(href);
    if (!url || !/^https?:$/.test(url.protocol)) return [];
    const isOfApp = base !== null && /^\/app(\/|$)/.test(url.pathname);
    return [isOfApp ? new URL(base + url.pathname + url.search, page.url()).href : url.href];
  });
}
