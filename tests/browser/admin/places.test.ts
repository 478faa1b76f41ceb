// From the screen "Where it appears" to the shopper's checkout and back: the merchant allows the web pixel, a
// shopper pays, and the analytics product hears of it, with consent only.
import { beforeAll, beforeEach, expect, test } from "vitest";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { useMerchant } from "../../support/browser/merchant.ts";
import { eventually } from "../../support/service.ts";

const SHOP = "places-store.myshopify.com";
const PATH = "/app/settings/places";
const app = useMerchant({ background: true });

beforeAll(async () => {
  await app.connect(SHOP, { scope: "write_customers" });
  app.sandbox.storefront.furnish(SHOP);
});
beforeEach(() => app.database.query("DELETE FROM integration_queue"));

const pixelHits = () =>
  app.sandbox.analytics
    .hits()
    .flatMap(({ body }: { body: any }) => body.events as { name: string; params: object }[])
    .filter(({ name }) => /^(checkout|account)_/.test(name));
const stored = () =>
  app.database.query(
    "SELECT event_type, payload FROM integration_queue WHERE source = 'storefront_pixel' ORDER BY id",
  );

/** A shopper who answers the banner, buys a mug, and comes to the thank-you page. */
async function buy(answer: "Accept all" | "Reject all") {
  const visit = await app.browser.visit([app.url, app.sandbox.url]);
  const { page } = visit;
  const ingested: string[] = [];
  page.context().on("request", (request) => {
    if (request.url().includes("/events/ingest")) ingested.push(request.method());
  });
  await page.goto(`${app.sandbox.url}/store/${SHOP}/products/enamel-mug`);
  await page.getByRole("button", { name: "Add to cart" }).click();
  await page.getByLabel("Email").fill("ada@shopper.example");
  await page.getByRole("button", { name: "Check out" }).click();
  await page.getByRole("heading", { name: "Check out" }).waitFor();
  expect(ingested).toEqual([]);
  await page.getByRole("button", { name: answer }).click();
  return { visit, page, ingested };
}

test("the merchant allows the pixel, a shopper's checkout reaches analytics without personal data, and the test says so", async () => {
  const merchant = await app.open(PATH, { shop: SHOP, viewport: { width: 1_280, height: 900 } });
  const { page: screen } = merchant;
  await screen.getByText("write_pixels, read_customer_events").waitFor();
  expect(await findA11yViolations(screen)).toEqual([]);
  screen.once("dialog", (dialog) => void dialog.accept());
  await screen.getByRole("button", { name: "Allow" }).click();
  await screen.getByRole("button", { name: "Test: Web pixel: checkout and accounts" }).waitFor();
  expect(app.sandbox.storefront.webPixel(SHOP)?.settings.endpoint).toContain(app.url);
  await screen.getByText("No web analytics is connected").waitFor();
  await app.call("POST", `/config?shop=${SHOP}`, {
    body: { analytics_measurement_id: "G-TEST1", analytics_api_secret: "analytics-secret-012345" },
  });

  const { visit, page, ingested } = await buy("Accept all");
  await eventually("the checkout", async () => (await stored()).length === 2);
  expect(await findA11yViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Pay now" }).click();
  await page.getByRole("heading", { name: "Thank you for your order" }).waitFor();
  await eventually("the order", async () => (await stored()).length === 6);
  await page.reload();
  // The page view of the second load is new, the order is not.
  await eventually("the second page view", async () => (await stored()).length === 7);
  const types = (await stored()).map(({ event_type: type }) => type as string);
  expect(types.filter((type) => type !== "checkout.page_viewed").toSorted()).toEqual([
    "checkout.completed",
    "checkout.contact_info_submitted",
    "checkout.payment_info_submitted",
    "checkout.started",
  ]);
  expect(JSON.stringify(await stored())).not.toMatch(
    /\b(ada|Kanal\w*|4930|secret|clientId|Mug)\b/i,
  );
  await eventually("the analytics", () => pixelHits().length === 7);
  expect(pixelHits().find(({ name }) => name === "checkout_completed")?.params).toMatchObject({
    page_path: "/checkouts/cn/-/thank-you",
    transaction_id: expect.stringMatching(/^\d+$/),
    currency: "EUR",
    value: 14,
    item_count: 1,
  });
  // The store's own tag is blocked in the sandbox, where nothing leaves this machine.
  const errors = visit.errors.filter((text) => !text.includes("googletagmanager"));
  // How many is known by what is stored: of a page that is being left the browser does not report each request.
  expect([ingested.length > 0, errors]).toEqual([true, []]);
  await visit.close();

  await screen.reload();
  await screen.getByRole("button", { name: "Test: Web pixel: checkout and accounts" }).click();
  await screen.getByText("Your store has the pixel with the right settings.").waitFor();
  await screen.getByRole("button", { name: "Replace key" }).click();
  const before = app.sandbox.storefront.webPixel(SHOP)?.settings.accountID;
  await screen.getByRole("dialog").getByRole("button", { name: "Replace key" }).click();
  await eventually(
    "the new key",
    () => app.sandbox.storefront.webPixel(SHOP)?.settings.accountID !== before,
  );
  expect(await findA11yViolations(screen)).toEqual([]);
  await merchant.leave();
});

test("a shopper who rejects analytics sends nothing, from the cart to the order", async () => {
  const { visit, page, ingested } = await buy("Reject all");
  await page.getByRole("button", { name: "Pay now" }).click();
  await page.getByRole("heading", { name: "Thank you for your order" }).waitFor();
  // The page starts the pixel in a callback of the same API, which came before this one.
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        const { Shopify } = window as any;
        Shopify.loadFeatures([{ name: "consent-tracking-api", version: "0.1" }], resolve);
      }),
  );
  expect(await page.locator("iframe[title=Pixel]").count()).toBe(0);
  expect([ingested, page.workers().length, await stored()]).toEqual([[], 0, []]);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("the theme's row follows the store admin, and the screen fits a phone in three languages", async () => {
  app.sandbox.storefront.setActiveBlock(SHOP, "consent", false);
  const visit = await app.open(PATH, {
    shop: SHOP,
    viewport: { width: 390, height: 844 },
  });
  const { page } = visit;
  const button = page.getByRole("button", { name: "Test: Theme: banner and footer" });
  await button.click();
  await page.getByText("isn't turned on in your published theme yet").waitFor();
  app.sandbox.storefront.setActiveBlock(SHOP, "consent", true);
  await button.click();
  await page.getByText("The banner is turned on in your published theme.").waitFor();
  for (const [locale, name] of [
    ["en", "Web pixel: checkout and accounts"],
    ["es", "Píxel web: pantalla de pago y cuentas"],
    ["fr", "Pixel web : paiement et comptes"],
  ] as const) {
    await page.goto(page.url().replace(/locale=\w+/, `locale=${locale}`));
    await page.getByRole("heading", { name }).waitFor();
    expect([locale, await findOverflow(page), await findA11yViolations(page)]).toEqual([
      locale,
      0,
      [],
    ]);
  }
});

test("a theme test whose store cannot be reached says why in the reader's language", async () => {
  const { page } = await app.open(PATH, { shop: SHOP, locale: "fr" });
  // Where the admin does not say which blocks are on, the store's front page is read.
  await page.evaluate(() => {
    (window as unknown as { shopify: { app: object } }).shopify.app = {};
  });
  app.sandbox.failNext("storefront", { reset: true }, Infinity);
  await page.getByRole("button", { name: /^Tester : Thème/ }).click();
  const problem = page.locator("[aria-live]", { hasText: "Cela n'a pas pu être terminé." });
  await problem.waitFor();
  app.sandbox.clearFaults();
  expect(await problem.innerText()).toMatch(/injoignable|pas répondu/);
  expect(await problem.innerText()).not.toMatch(/storefront|reached|answer/);
});
