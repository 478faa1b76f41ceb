// The privacy policy in a real browser: without script, by keyboard, and on a phone.
import { afterAll, beforeAll, expect, it } from "vitest";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { openBrowser } from "../../support/browser/browser.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
  await service.addTenant(SHOP, { brand_name: "Kestrel", archive_retention_days: 91 });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

it("has no accessibility violation and no foreign request, sets no cookie, and fits 320 pixels in every language", async () => {
  const { page, errors, foreign, close } = await browser.visit([service.url]);
  for (const [locale, width] of [
    ["en", 1280],
    ["es", 390],
    ["fr", 320],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${service.url}/privacy?shop=${SHOP}&locale=${locale}`);
    expect([locale, await findA11yViolations(page, { strict: true })]).toEqual([locale, []]);
    expect([locale, await findOverflow(page)]).toEqual([locale, 0]);
  }
  expect(await page.context().cookies()).toEqual([]);
  expect([errors, foreign]).toEqual([[], []]);
  await close();
});

it("changes its language without script, and keeps the store", async () => {
  const { page, close } = await browser.visit([service.url], { javaScriptEnabled: false });
  await page.goto(`${service.url}/privacy?shop=${SHOP}`);
  await page.getByText("Archived messages: 91 days").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Política de privacidad" }).waitFor();
  await page.getByText("Mensajes archivados: 91 días").waitFor();
  await close();
});
