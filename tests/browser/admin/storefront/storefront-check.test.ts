// The storefront check by clicks: from the empty screen to the snippet that a merchant copies.
import { beforeAll, beforeEach, expect, test } from "vitest";
import { findOverflow } from "../../../support/browser/accessibility.ts";
import { waitForHydration } from "../../../support/browser/browser.ts";
import { expectHealthyPage, useMerchant } from "../../../support/browser/merchant.ts";
import { adminUrl, askAs } from "../../../support/browser/screens-server.ts";
import { OTHER_SHOP, SHOP } from "../../../support/service.ts";

const PATH = "/app/consent/storefront";
const HOSTILE =
  '<script nomodule src="https://x.example/<img src=x onerror=document.title=1>"></script>';
const app = useMerchant();
beforeAll(async () => {
  for (const shop of [SHOP, OTHER_SHOP]) {
    await app.connect(shop, { withSystems: true });
    app.sandbox.storefront.furnish(shop);
  }
});
beforeEach(async () => {
  const { storefront } = app.sandbox;
  app.sandbox.clearFaults();
  storefront.setPassword(SHOP, false);
  storefront.setAccess(SHOP, {});
  storefront.setActiveBlock(SHOP, "consent", true);
  await app.database.query("DELETE FROM kv WHERE key LIKE 'run:%' OR key = 'storefront_check'", []);
});

test("a merchant checks the storefront, sees what does not wait, and copies its marked version", async () => {
  const visit = await app.open("/app/consent", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("link", { name: "Storefront check", exact: true }).click();
  await page.getByText("Your storefront hasn't been checked yet").waitFor();
  await expectHealthyPage(visit);
  // The title bar has the first such button.
  await page.getByRole("main").getByRole("button", { name: "Check storefront" }).click();
  await page.getByText("5 scripts load before consent", { exact: true }).waitFor();
  await page.getByText("Home page (/store/", { exact: false }).waitFor();
  for (const state of [
    "Loads before consent",
    "Unknown",
    "Follows Google consent mode",
    "Waits for consent",
    "Usually needs no consent",
    "Managed by Shopify",
  ])
    await page.getByRole("heading", { name: state, exact: true }).waitFor();
  await page.getByText("connect.facebook.net/en_US/fbevents.js", { exact: true }).waitFor();
  const meta = page.getByRole("listitem").filter({ hasText: "connect.facebook.net" }).first();
  await meta.getByText("Show the marked version").click();
  await meta
    .getByRole("group", { name: "Marked version of Meta" })
    .getByText('<script type="text/plain" data-consent="marketing"', { exact: false })
    .waitFor();
  await expectHealthyPage(visit);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await meta.getByRole("button", { name: "Copy the marked version of Meta" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain('data-consent="marketing"');

  await page.goto(await adminUrl(app, SHOP, PATH));
  await page.getByText("connect.facebook.net/en_US/fbevents.js", { exact: true }).waitFor();
  await page.goto(await adminUrl(app, SHOP, "/app"));
  await waitForHydration(page);
  await page.getByRole("link", { name: "Review: 5 scripts load before consent" }).click();
  await page.waitForURL(/\/app\/consent\/storefront/);
  await page.getByText("connect.facebook.net/en_US/fbevents.js", { exact: true }).waitFor();
});

test("a closed store says why, and the last complete result stays", async () => {
  const { storefront } = app.sandbox;
  storefront.setActiveBlock(SHOP, "consent", false);
  const visit = await app.open(PATH, { shop: SHOP });
  const { page } = visit;
  const check = page.getByRole("button", { name: "Check storefront" }).first();
  await check.click();
  await page.getByText("The app's banner isn't on these pages").waitFor();
  const editor = page.getByRole("link", { name: /Open the theme editor/ });
  expect(await editor.getAttribute("href")).toContain("/themes/current/editor");
  for (const [close, text] of [
    [() => storefront.setPassword(SHOP, true), "Your store is password protected"],
    [() => storefront.setAccess(SHOP, { status: 403 }), "Your store blocks bots (HTTP 403)"],
  ] as const) {
    storefront.setPassword(SHOP, false);
    close();
    await check.click();
    await page.getByText(text, { exact: false }).waitFor();
    await page.getByText("The results of the last complete check are below.").waitFor();
    await page.getByText("connect.facebook.net/en_US/fbevents.js", { exact: true }).waitFor();
  }
  await expectHealthyPage(visit);
});

test("a slow store shows how far the check is, also after a reload, and nothing can be started beside it", async () => {
  app.sandbox.failNext("storefront", { delayMs: 4_000, match: /^\/[^/]+\/$/ });
  const visit = await app.open(PATH, { shop: SHOP });
  const { page } = visit;
  const check = page.getByRole("button", { name: "Check storefront" }).first();
  await check.click();
  await page.getByText("Reading your storefront: 0 of 1 pages read").waitFor();
  expect(await check.isDisabled()).toBe(true);
  await page.goto(await adminUrl(app, SHOP, PATH));
  await page.getByText("Reading your storefront", { exact: false }).waitFor();
  await page.getByText("connect.facebook.net/en_US/fbevents.js", { exact: true }).waitFor();
  await expectHealthyPage(visit);
});

test("Microsoft's tags bring the hint that the app embed can tell them the choice; other pages have none", async () => {
  const { storefront } = app.sandbox;
  const hint = "Tell vendors the shopper's choice";
  storefront.setThemeHtml(SHOP, HOSTILE);
  const visit = await app.open(PATH, { shop: SHOP });
  const { page } = visit;
  const check = page.getByRole("button", { name: "Check storefront" }).first();
  await check.click();
  await page.getByText("x.example/", { exact: false }).first().waitFor();
  expect(await page.getByRole("heading", { name: hint }).count()).toBe(0);
  storefront.setThemeHtml(SHOP, '<script src="https://www.clarity.ms/tag/abc" async></script>');
  await check.click();
  await page.getByRole("heading", { name: hint }).waitFor();
  await page.getByText("Microsoft Clarity: these tags need the shopper's choice").waitFor();
  await expectHealthyPage(visit);
});

test("what the pages contain is shown as text, and only to their own store", async () => {
  const { storefront } = app.sandbox;
  storefront.setThemeHtml(SHOP, HOSTILE);
  const visit = await app.open(PATH, { shop: SHOP });
  const { page } = visit;
  await page.getByRole("button", { name: "Check storefront" }).first().click();
  await page.getByText("x.example/%3Cimg%20src=x%20onerror=document.title=1%3E").waitFor();
  await page.getByText("Show the marked version").first().click();
  await page.getByText("&lt;img src=x onerror", { exact: false }).first().waitFor();
  expect(await page.title()).not.toBe("1");
  await expectHealthyPage(visit);
  await visit.close();

  expect((await askAs(app, OTHER_SHOP, PATH)).text).not.toContain("x.example");
  const progress = await askAs(app, OTHER_SHOP, `${PATH}/progress`);
  expect(progress.text).toBe('{"run":null}');
  expect((await fetch(`${app.url}${PATH}/progress`, { redirect: "manual" })).status).not.toBe(200);
});

test.each([
  ["es", "Revisar la tienda", "Se carga antes del consentimiento"],
  ["fr", "Vérifier la boutique", "Se charge avant le consentement"],
])("speaks %s, and fits a phone", async (locale, button, heading) => {
  const { storefront } = app.sandbox;
  storefront.setThemeHtml(
    SHOP,
    `<script nomodule src="https://connect.facebook.net/${"long-path".repeat(30)}"></script>`,
  );
  const visit = await app.open(PATH, {
    shop: SHOP,
    locale,
    viewport: { width: 390, height: 800 },
  });
  const { page } = visit;
  await page.getByRole("button", { name: button }).first().click();
  await page.getByRole("heading", { name: heading, exact: true }).waitFor();
  await page.locator("summary").first().click();
  expect(await findOverflow(page)).toBe(0);
  await expectHealthyPage(visit);
});
