// The merchant's screens with the colours of the reader's system, as of Windows: grounds and shadows are gone, and
// nothing may depend on them.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import { waitForHydration } from "../../../support/browser/browser.ts";
import { useMerchant } from "../../../support/browser/merchant.ts";
import { adminUrl } from "../../../support/browser/screens-server.ts";
import { signUp } from "../../../support/consent.ts";
import { SHOP } from "../../../support/service.ts";

const app = useMerchant();
let page: Page;
let close: () => Promise<void>;

beforeAll(async () => {
  await app.connect(SHOP, { withSystems: true });
  await signUp(app);
  ({ page, close } = await app.browser.visit([app.url, app.sandbox.url], {
    forcedColors: "active",
    colorScheme: "dark",
  }));
});
afterAll(async () => {
  await close?.();
});

async function open(path: string): Promise<void> {
  await page.goto(await adminUrl(app, SHOP, path));
  await waitForHydration(page);
}

const styleOf = (place: Locator, name: string): Promise<string> =>
  place.evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);

test("a pressed button differs from the others of its group, and each has an edge", async () => {
  await open("/app/consent/banner");
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  expect(await styleOf(button("Phone"), "background-color")).not.toBe(
    await styleOf(button("Desktop"), "background-color"),
  );
  expect(await styleOf(button("Phone").locator("span").first(), "color")).not.toBe(
    await styleOf(button("Desktop").locator("span").first(), "color"),
  );
  expect(await styleOf(button("Desktop"), "border-top-width")).toBe("1px");
});

test("an empty checkbox is visible, and icons have the colour of the text", async () => {
  await open("/app/customers");
  const box = page.locator(".Polaris-Checkbox__Backdrop").first();
  expect(await styleOf(box, "outline-style")).toBe("solid");
  const icon = page.locator("main .Polaris-Icon svg").first();
  expect(await styleOf(icon, "fill")).toBe(await styleOf(page.locator("body"), "color"));
});

test("the legend of a chart shows the colours of its series", async () => {
  await open("/app/consent");
  const swatches = page.locator("main span[aria-hidden]").filter({ hasNotText: /./ });
  await swatches.first().waitFor();
  const colors = await swatches.evaluateAll((all) =>
    all.map((swatch) => getComputedStyle(swatch).backgroundColor),
  );
  expect(new Set(colors).size).toBe(3);
});
