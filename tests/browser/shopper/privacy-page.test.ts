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

it("a shopper opens the store's policy from the page of their choices and reads it on a phone", async () => {
  const shop = "policy-readers.myshopify.com";
  await service.addTenant(shop, { brand_name: "Kestrel", consent_policy_version: "2026-12" });
  await service.call("POST", `/admin/consent/policies?shop=${shop}`, {
    body: { version: "2026-12", body: "What we keep\n\nYour name, and nothing else." },
  });
  const { page, errors, foreign, close } = await browser.visit([service.url]);
  await page.setViewportSize({ width: 320, height: 844 });
  await page.goto(`${service.url}/embed/compliance?shop=${shop}`);
  await page.getByRole("link", { name: "2026-12" }).click();
  await page.getByRole("heading", { name: "Version of the policy: 2026-12" }).waitFor();
  await page.getByText("Your name, and nothing else.").waitFor();
  expect(await findA11yViolations(page, { strict: true })).toEqual([]);
  expect(await findOverflow(page)).toBe(0);
  expect([errors, foreign]).toEqual([[], []]);
  await close();
});
