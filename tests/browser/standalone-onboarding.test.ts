// From a store nobody knows to its first synced customer by clicks alone; the sandbox plays the store.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSyncWorker } from "../../app/domain/customers/sync-worker.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { findBarriers, findOverflow } from "../support/accessibility.ts";
import { openBrowser } from "../support/browser.ts";
import { ADMIN_KEY, embeddedUrl, startWorld, type World } from "../support/screens-server.ts";

const SHOP = "fresh-store.myshopify.com";
let world: World;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  [world, browser] = await Promise.all([
    startWorld({
      withScreens: true,
      env: (sandbox) => ({ CMS_API_URL: sandbox.addresses.cmsApiUrl, OUTBOUND_ALLOW: "127.0.0.1" }),
    }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});

const customers = async (shop = SHOP) =>
  (
    await world.database.query(
      "SELECT count(*)::int AS count FROM storefront_users WHERE shop = $1",
      [shop],
    )
  )[0]?.count as number;

test("an empty store is connected, its tags prepared, its customers read, and all of it is still told after a reload", async () => {
  world.sandbox.storefront.putCustomer(SHOP, {
    firstName: "Ada",
    email: "ada@example.com",
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
  });
  const { page, errors, foreign, close } = await browser.visit([world.url, world.sandbox.url]);
  await page.goto(`${world.url}/setup?key=${ADMIN_KEY}`);
  await page.getByLabel("Store domain").fill(`https://${SHOP}/admin`);
  await page.getByRole("button", { name: "Connect" }).click();
  await page.getByText("0 of 5 steps done").waitFor();

  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: "Connect", exact: true }).click();
  const store = await opened;
  await store.getByRole("button", { name: "Install" }).click();
  await store.waitForURL(/\/app\?/);
  await store.close();
  // The page that stayed open sees it by itself.
  await page.getByText("1 of 5 steps done").waitFor();

  await page.getByRole("button", { name: "I have switched it on" }).click();
  await page.getByText("2 of 5 steps done").waitFor();
  await page.getByRole("button", { name: "Show the consent banner in your theme" }).click();
  for (const [name, block] of [
    ["Add the footer", "footer"],
    ["Add the account page", "account"],
    ["Add the privacy page", "compliance"],
  ] as const)
    expect(
      new URL((await page.getByRole("link", { name }).getAttribute("href")) ?? "").searchParams.get(
        "addAppBlockId",
      ),
    ).toMatch(new RegExp(`/${block}$`));
  await page.getByRole("button", { name: "Prepare the tags" }).last().click();
  await page.getByRole("button", { name: "Prepare the tags" }).last().click();
  await page.getByText("3 of 5 steps done").waitFor();

  await page.getByRole("button", { name: "Start the first sync" }).click();
  await page.getByText("Waiting for your store to hand over its customers.").waitFor();
  await page.reload();
  await page.getByText("Under way").first().waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const worker = startSyncWorker(world.ctx);
  await page.getByText("4 of 5 steps done").waitFor();
  await worker.stop();
  expect(await customers()).toBe(1);

  await page.getByRole("link", { name: "Open settings" }).click();
  await page.getByLabel("CMS API token", { exact: true }).fill("cms-token-0123456789");
  await page.getByLabel("Customers collection id").fill(world.sandbox.cms.customersCollectionId);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Onboarding" }).click();
  await page.getByText("5 of 5 steps done").waitFor();
  await page.getByText("Everything is set up.").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await findOverflow(page)).toBe(0);
  expect((await getTenant(world.ctx, SHOP)).connection.token_state).toBe("valid");
  expect(errors).toEqual([]);
  expect(foreign).toEqual([]);
  await close();
});

test("a store that refuses or does not answer is told at the step, which can be tried again", async () => {
  const shop = "sick-store.myshopify.com";
  world.sandbox.storefront.install(shop);
  const { page, errors, close } = await browser.visit([world.url, world.sandbox.url]);
  // Opening the app inside its admin connects the store.
  await page.goto(await embeddedUrl(world, shop, { path: "/app/setup" }));
  await page.getByText("1 of 5 steps done").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText("The banner is not on your store's front page yet.").waitFor();
  await page.getByRole("button", { name: "I have switched it on" }).click();
  await page.getByText("2 of 5 steps done").waitFor();
  world.sandbox.failNext("storefront", { status: 503, match: "graphql" }, 50);
  await page.getByRole("button", { name: "Prepare the tags" }).last().click();
  await page.getByText("This could not be finished.").waitFor();
  await page.getByRole("button", { name: "Bring your customers in" }).click();
  await page.getByRole("button", { name: "Start the first sync" }).click();
  await page.getByText("Waiting for your store").waitFor();
  const worker = startSyncWorker(world.ctx);
  await page.getByText("The last sync stopped before its end.").waitFor();
  world.sandbox.clearFaults();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("3 of 5 steps done").waitFor();
  await worker.stop();
  expect(errors).toEqual([]);
  await close();
});
