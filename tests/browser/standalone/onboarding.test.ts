// From an unregistered store to its first synced customer by clicks only; the sandbox simulates the
// store.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSyncWorker } from "../../../app/domain/customers/sync/sync-worker.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { openBrowser, waitForHydration } from "../../support/browser/browser.ts";
import {
  ADMIN_KEY,
  adminUrl,
  startTestApp,
  type TestApp,
} from "../../support/browser/screens-server.ts";

let stores = 0;
let app: TestApp;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  [app, browser] = await Promise.all([
    startTestApp({
      withScreens: true,
      isFramed: true,
      envFrom: (sandbox) => ({
        CMS_API_URL: sandbox.addresses.cmsApiUrl,
        OUTBOUND_ALLOW: "127.0.0.1",
      }),
    }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

const customers = async (shop: string) =>
  (
    await app.database.query(
      "SELECT count(*)::int AS count FROM storefront_users WHERE shop = $1",
      [shop],
    )
  )[0]?.count as number;

test("an empty store is connected, its tags set up and its customers imported, and a reload shows all of it", async () => {
  // Another store at each attempt: a connected one cannot be connected again.
  const shop = `fresh-store-${(stores += 1)}.myshopify.com`;
  app.sandbox.storefront.putCustomer(shop, {
    firstName: "Ada",
    email: "ada@example.com",
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
  });
  const { page, errors, foreign, close } = await browser.visit([app.url, app.sandbox.url]);
  await page.goto(`${app.url}/setup?key=${ADMIN_KEY}`);
  await waitForHydration(page);
  await page.getByLabel("Store domain").fill(`https://${shop}/admin`);
  await page.getByRole("button", { name: "Connect" }).click();
  await page.getByText("0 of 7 steps done").waitFor();

  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: "Connect", exact: true }).click();
  const store = await opened;
  await store.getByRole("button", { name: "Install" }).click();
  await store.waitForURL(/\/admin\/apps\//);
  await store.frameLocator("iframe").locator("h1").first().waitFor();
  await store.close();
  // The open page polls and shows it.
  await page.getByText("1 of 7 steps done").waitFor();

  await page.getByRole("button", { name: "I have turned it on" }).click();
  await page.getByText("2 of 7 steps done").waitFor();
  await page.getByRole("button", { name: "Show the consent banner in your theme" }).click();
  for (const [name, block] of [
    ["Add the footer", "footer"],
    ["Add the account page", "account"],
    ["Add the privacy page", "compliance"],
    ["Add the cookie list", "cookies"],
  ] as const)
    expect(
      new URL((await page.getByRole("link", { name }).getAttribute("href")) ?? "").searchParams.get(
        "addAppBlockId",
      ),
    ).toMatch(new RegExp(`/${block}$`));
  await page.getByRole("button", { name: "Test the banner" }).click();
  const visited = page.context().waitForEvent("page");
  await page.getByRole("link", { name: "Open your store" }).click();
  await (await visited).close();
  await page.getByText("Waiting for a choice in your store's banner.").waitFor();
  await fetch(`${app.url}/embed/banner-events?shop=${shop}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: `https://${shop}` },
    body: JSON.stringify({
      step: "accepted",
      version: 0,
      language: "en",
      device: "phone",
      region: "FR",
    }),
  });
  await page.getByText("3 of 7 steps done").waitFor();
  app.sandbox.storefront.setPassword(shop, false);
  await page.getByRole("button", { name: "Check your store", exact: true }).click();
  await page.getByText("4 of 7 steps done").waitFor();
  await page.getByRole("button", { name: "Set up tags" }).last().click();
  await page.getByText("5 of 7 steps done").waitFor();

  await page.getByRole("button", { name: "Start the first sync" }).click();
  await page.getByText("Waiting for your store's customers.").waitFor();
  await page.reload();
  await page.getByText("In progress").first().waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
  const worker = await startSyncWorker(app.ctx);
  await page.getByText("6 of 7 steps done").waitFor();
  await worker.stop();
  expect(await customers(shop)).toBe(1);

  await page.getByRole("link", { name: "Open settings" }).click();
  await page.getByLabel("CMS API token", { exact: true }).fill("cms-token-0123456789");
  await page.getByLabel("Customers collection id").fill(app.sandbox.cms.customersCollectionId);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Onboarding" }).click();
  await page.getByText("7 of 7 steps done").waitFor();
  await page.getByText("You're all set.").waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await findOverflow(page)).toBe(0);
  expect((await getTenant(app.ctx, shop)).connection.token_state).toBe("valid");
  expect(errors).toEqual([]);
  expect(foreign).toEqual([]);
  await close();
});

test("an error or a timeout of the store is shown at the step, which can be retried", async () => {
  const shop = "sick-store.myshopify.com";
  app.sandbox.storefront.install(shop);
  app.sandbox.storefront.setPassword(shop, true);
  const { page, errors, close } = await browser.visit([app.url, app.sandbox.url]);
  // Opening the app inside its admin connects the store.
  await page.goto(await adminUrl(app, shop, "/app/setup"));
  await page.getByText("1 of 7 steps done").waitFor();
  await waitForHydration(page);
  expect(await findA11yViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText("The banner isn't turned on in your published theme yet.").waitFor();
  const comeBack = () => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  app.sandbox.storefront.setActiveBlock(shop, "consent", true);
  await comeBack();
  await page.getByText("2 of 7 steps done").waitFor();
  app.sandbox.storefront.setActiveBlock(shop, "consent", false);
  await comeBack();
  await page.getByText("1 of 7 steps done").waitFor();
  app.sandbox.storefront.setActiveBlock(shop, "consent", true);
  await comeBack();
  await page.getByText("2 of 7 steps done").waitFor();
  await page.getByRole("button", { name: "Set up tags" }).click();
  app.sandbox.failNext("storefront", { status: 503, match: "graphql" }, 50);
  await page.getByRole("button", { name: "Set up tags" }).last().click();
  await page.getByText("This couldn't be completed.").waitFor();
  await page.getByRole("button", { name: "Import customers" }).click();
  await page.getByRole("button", { name: "Start the first sync" }).click();
  await page.getByText("Waiting for your store's customers.").waitFor();
  const worker = await startSyncWorker(app.ctx);
  await page.getByText("The last sync stopped before it finished.").waitFor();
  app.sandbox.clearFaults();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("3 of 7 steps done").waitFor();
  await worker.stop();
  expect(errors).toEqual([]);
  await close();
});
