// Deferred data and scripts on a slow connection. React discards a boundary that is not hydrated
// yet when its surroundings change (error #421), so there must be no such boundary.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { waitForHydration, type Visit } from "../../support/browser/browser.ts";
import { useMerchant } from "../../support/browser/merchant.ts";
import { ADMIN_KEY, adminUrl } from "../../support/browser/screens-server.ts";
import { putPerson } from "../../support/storefront/customers.ts";

const SHOP = "late-store.myshopify.com";
const ASSETS = resolve(import.meta.dirname, "../../../build/client/assets");
const app = useMerchant();

beforeAll(async () => {
  await app.connect(SHOP);
  await putPerson(app.database, SHOP, { full_name: "Ada", tags: ["vip"] });
  // Nothing works on this run, so it stays in progress.
  await app.database.query(
    `INSERT INTO tag_runs (shop, id, selection, add, remove, last_id, total, state)
      VALUES ($1, gen_random_uuid(), '', '{vip}', '{}', 1, 1, 'waiting')`,
    [SHOP],
  );
});

/** Holds back the on-demand scripts until the test releases them. */
async function holdLateScripts(page: Page): Promise<{ held: string[]; letThrough(): void }> {
  const pages = readdirSync(ASSETS)
    .filter((name) => /^manifest-.*\.js$/.test(name))
    .map((name) => readFileSync(join(ASSETS, name), "utf8"))
    .join("");
  const held: string[] = [];
  let letThrough = () => {};
  const released = new Promise<void>((done) => (letThrough = done));
  await page.route(/\/assets\/(?!manifest-|locales\/).*\.js$/, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pages.includes(pathname)) return route.continue();
    held.push(pathname);
    await released;
    return route.continue();
  });
  return { held, letThrough };
}

/** Rotates the device: the design system re-renders for the new width. */
async function turn(page: Page): Promise<void> {
  for (const width of [390, 1_100]) {
    await page.setViewportSize({ width, height: 620 });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
  }
}

async function openSlowly(url: string): Promise<Visit & { held: string[] }> {
  const visit = await app.browser.visitAgain([app.url, app.sandbox.url]);
  const { held, letThrough } = await holdLateScripts(visit.page);
  await visit.page.goto(url, { waitUntil: "commit" });
  await visit.page.locator("button, a").first().waitFor();
  await waitForHydration(visit.page, visit.errors);
  await turn(visit.page);
  letThrough();
  await visit.page.waitForLoadState("networkidle");
  return { ...visit, held };
}

test.each([
  "",
  "/customers",
  "/customers/1",
  "/tags",
  "/consent",
  "/consent/policies",
  "/events",
  "/events/destinations",
  "/events/dead-letters",
  "/events/log",
  "/agents",
  "/agents/mandates",
  "/privacy",
  "/settings",
  "/settings/brand",
  "/settings/integrations/erp",
  "/setup",
])(
  "/app%s takes over all of its page, also when parts of it come late and the page changes meanwhile",
  async (path) => {
    const { errors, foreign, close } = await openSlowly(await adminUrl(app, SHOP, `/app${path}`));
    expect(errors).toEqual([]);
    expect(foreign).toEqual([]);
    await close();
  },
);

test.each(["/settings", "/setup", "/onboarding"])(
  "%s outside the store admin behaves the same",
  async (path) => {
    const { errors, close } = await openSlowly(`${app.url}${path}?shop=${SHOP}&key=${ADMIN_KEY}`);
    expect(errors).toEqual([]);
    await close();
  },
);

test("a run in progress is shown once its script has loaded", async () => {
  const { page, held, errors, close } = await openSlowly(
    await adminUrl(app, SHOP, "/app/customers"),
  );
  await page.getByText("The change is waiting to start").waitFor();
  expect(held.join()).toContain("bulk-run-banner");
  expect(errors).toEqual([]);
  await close();
});
