// What a merchant sees when the service is not reached or fails for a moment, and after a deploy that removed
// the scripts of the open page.
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { useMerchant } from "../../support/browser/merchant.ts";
import { deliver } from "../../support/storefront/storefront.ts";

const SHOP = "away-store.myshopify.com";
const app = useMerchant({ isFramed: true, background: true });

beforeAll(async () => {
  await app.connect(SHOP);
});

const isData = ({ pathname }: URL) => pathname.endsWith(".data");
const follow = (page: Page, path: string) =>
  page.locator(`a[href="${path}"]`).first().dispatchEvent("click");

test("a screen that cannot be loaded says that there is no connection, and loads by the button when there is", async () => {
  const { page, close } = await app.open("/app/privacy", { shop: SHOP });
  await page.route(isData, (route) => route.abort());
  await follow(page, "/app/agents");
  await page.getByText("No connection").waitFor();
  expect(await page.getByText("Something went wrong on our side").count()).toBe(0);
  const failed = page.waitForEvent("requestfailed");
  await page.getByRole("button", { name: "Try again" }).click();
  await failed;
  await page.getByText("No connection").waitFor();
  await page.unroute(isData);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Agents", level: 1 }).waitFor();
  await close();
});

test("a screen that fails on our side says so, and loads by the button when it works again", async () => {
  const { page, close } = await app.open("/app/privacy", { shop: SHOP });
  await app.database.query("ALTER TABLE crm_tags RENAME TO crm_tags_away");
  await follow(page, "/app/tags");
  await page.getByText("Something went wrong on our side").waitFor();
  await app.database.query("ALTER TABLE crm_tags_away RENAME TO crm_tags");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Tags", level: 1 }).waitFor();
  expect(await page.getByText("Something went wrong").count()).toBe(0);
  await close();
});

test("a part of a screen whose data breaks off says so, and loads by its button", async () => {
  const { page, close } = await app.open("/app/privacy", { shop: SHOP });
  await page.route(isData, async (route) => {
    const response = await route.fetch();
    const [first] = (await response.text()).split("\n");
    await route.fulfill({ response, body: `${first}\nbroken off\n` });
  });
  await follow(page, "/app");
  await page.getByText("This section couldn't be loaded.").first().waitFor();
  await page.unroute(isData);
  await page.getByRole("button", { name: "Try again" }).first().click();
  await page.getByText("This section couldn't be loaded.").first().waitFor({ state: "hidden" });
  await page.getByText("Recent activity").waitFor();
  await close();
});

test("an open screen stays when its data cannot be read again", async () => {
  const { page, close } = await app.open("/app/tags", { shop: SHOP });
  await page.getByRole("heading", { name: "Tags", level: 1 }).waitFor();
  await page.route(
    (url) => isData(url),
    (route) => (route.request().method() === "GET" ? route.abort() : route.continue()),
  );
  const failed = page.waitForEvent("requestfailed");
  await page.getByRole("button", { name: "Create tag" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill("Kept");
  await page.getByRole("dialog").getByRole("button", { name: "Create tag" }).click();
  await failed;
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.getByRole("heading", { name: "Tags", level: 1 }).waitFor();
  expect(await page.getByText("Something went wrong").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await close();
});

test("a first save without a connection keeps the form's input", async () => {
  const { page, close } = await app.open("/app/settings/brand", { shop: SHOP });
  await page.getByLabel("Brand name").fill("Kestrel");
  // What the page still loads is not what is lost here.
  await page.waitForLoadState("networkidle");
  await page.context().setOffline(true);
  try {
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("We couldn't reach the service").waitFor();
    expect(await page.getByLabel("Brand name").inputValue()).toBe("Kestrel");
  } finally {
    // The other tests share this profile.
    await page.context().setOffline(false);
  }
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  await close();
});

test("a cookie that is not hidden because the service is not reached says so, also to a screen reader", async () => {
  const { page, close } = await app.open("/app/consent/cookies", { shop: SHOP });
  await page.route(isData, (route) => route.abort());
  await page.getByRole("button", { name: "Hide: _shopify_essential" }).click();
  await page.getByRole("alert").getByText("We couldn't reach the service").waitFor();
  await close();
});

test("a save after the session's end keeps the form's input and says so", async () => {
  const { page, close } = await app.open("/app/settings/brand", { shop: SHOP });
  await page.getByLabel("Brand name").fill("Merlin");
  await page.route(isData, (route) =>
    route.continue({ headers: { ...route.request().headers(), authorization: "Bearer ended" } }),
  );
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Your session has ended").waitFor();
  expect(await page.getByLabel("Brand name").inputValue()).toBe("Merlin");
  await page.unroute(isData);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  await close();
});

test.each([
  ["/app/settings/brand", "Brand name", "Save"],
  ["/app/consent/banner", "Title", "Save"],
])(
  "a save on %s after the app was uninstalled keeps the form's input and says so",
  async (path, label, button) => {
    const shop = await app.newStore();
    const visit = await app.open(path, { shop });
    const { page } = visit;
    const field = page.getByLabel(label, { exact: true });
    await field.fill("Peregrine");
    await app.sandbox.storefront.uninstall(shop);
    await deliver(app, "app-uninstalled", JSON.stringify({ myshopify_domain: shop }), { shop });
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByText("The app is no longer connected to your store.").first().waitFor();
    expect(await field.inputValue()).toBe("Peregrine");
    // The browser's own lines about refused requests.
    expect(visit.errors.filter((text) => !text.includes("status of 409"))).toEqual([]);
    await visit.close();
  },
);

test("a preview after the session's end says so, and not that the service is not reached", async () => {
  const { page, close } = await app.open("/app/consent/banner", { shop: SHOP });
  await page
    .locator("iframe[sandbox]")
    .first()
    .contentFrame()
    .getByText("Reject all")
    .first()
    .waitFor();
  await page.route("**/app/consent/banner/preview", (route) =>
    route.continue({ headers: { ...route.request().headers(), authorization: "Bearer ended" } }),
  );
  await page.getByLabel("Title", { exact: true }).fill("Your choice");
  await page.getByText("Your session has ended").waitFor();
  expect(await page.getByText("We couldn't reach the service").count()).toBe(0);
  await close();
});

test("without a connection another screen says so also when it was never opened, and opens it when there is one again", async () => {
  const { page, close } = await app.open("/app/customers", { shop: SHOP });
  await page.waitForFunction(() => performance.getEntriesByName("screens-ahead-done").length > 0);
  await page.context().setOffline(true);
  await follow(page, "/app/agents");
  await page.getByText("No connection").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Agents", level: 1 }).waitFor();
  await close();
});

test("a setup guide that is not dismissed, or not shown again, because the service is not reached says so", async () => {
  const { page, close } = await app.open("/app", { shop: SHOP });
  const press = (name: string) => page.getByRole("button", { name }).click();
  const notReached = page.getByText("We couldn't reach the service. Try again in a moment.");
  const loseActions = () =>
    page.route(isData, (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );

  await loseActions();
  await press("Dismiss");
  await notReached.waitFor();
  await page.getByText("of 7 steps done").waitFor();
  await page.unroute(isData);
  await press("Dismiss");
  await page.getByText("of 7 steps done").waitFor({ state: "detached" });
  expect(await notReached.count()).toBe(0);

  await follow(page, "/app/settings");
  await page.getByRole("link", { name: "Store connection" }).click();
  await page.getByRole("button", { name: "Show on Home again" }).waitFor();
  await loseActions();
  await press("Show on Home again");
  await notReached.waitFor();
  await close();
});

test("the admin shows its progress while a screen takes long", async () => {
  const { page, close } = await app.open("/app/tags", { shop: SHOP });
  let answer = () => {};
  const isHeld = new Promise<void>((done) => (answer = done));
  await page.route(isData, async (route) => {
    await isHeld;
    await route.continue();
  });
  await follow(page, "/app/agents");
  await page.locator("html[data-sandbox-loading]").waitFor();
  answer();
  await page.getByRole("heading", { name: "Agents", level: 1 }).waitFor();
  await page.locator("html:not([data-sandbox-loading])").waitFor();
  await close();
});

test("a script that a deploy removed loads the screen anew inside the admin, with its store", async () => {
  const { page, close } = await app.browser.visit([app.url, app.sandbox.url]);
  // Otherwise the script may be there already: a reader who saves data loads none ahead.
  await page.addInitScript(() =>
    Object.defineProperty(navigator, "connection", { value: { saveData: true } }),
  );
  await page.goto(
    `${app.sandbox.url}/storefront/${SHOP}/admin/apps/customer-identity/app/customers`,
  );
  const frame = page.frameLocator("iframe");
  await frame.getByRole("heading", { name: "Customers", level: 1 }).waitFor();
  const inFrame = (path: string) =>
    frame.locator(`ui-nav-menu a[href="${path}"]`).dispatchEvent("click");
  await inFrame("/app/privacy");
  await frame.getByRole("heading", { name: "Privacy requests", level: 1 }).waitFor();
  // Until the screen is loaded anew: a browser may ask for a script more than once.
  let isRemoved = true;
  await page.route(
    (url) => url.pathname.startsWith("/assets/app.agents"),
    (route) => (isRemoved ? route.fulfill({ status: 404 }) : route.continue()),
  );
  const reloaded = page.waitForRequest(
    (request) => request.isNavigationRequest() && request.url().includes("/app/privacy?"),
  );
  await inFrame("/app/agents");
  expect(new URL((await reloaded).url()).searchParams.get("shop")).toBe(SHOP);
  isRemoved = false;
  await frame.getByRole("heading", { name: "Privacy requests", level: 1 }).waitFor();
  await inFrame("/app/agents");
  await frame.getByRole("heading", { name: "Agents", level: 1 }).waitFor();
  await close();
});
