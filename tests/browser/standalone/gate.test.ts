// The sign-in to the admin pages outside the store admin, and the cost of loading a page.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { saveTenantConfig } from "../../../app/domain/tenants/settings/configuration.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { openBrowser } from "../../support/browser/browser.ts";
import { ADMIN_KEY, startTestApp, type TestApp } from "../../support/browser/screens-server.ts";

const shop = "operated-store.myshopify.com";
let app: TestApp;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  const env: Parameters<typeof startTestApp>[0] = {
    withScreens: true,
    envFrom: (sandbox) => ({
      EMAIL_API_URL: sandbox.addresses.emailApiUrl,
      EMAIL_API_KEY: "test-email-key",
      EMAIL_FROM: "Ops <ops@test-store.example>",
      ADMIN_EMAILS: "ops@example.com",
    }),
  };
  [app, browser] = await Promise.all([startTestApp(env), openBrowser()]);
  await saveTenantConfig(app.ctx, shop, {}, { by: "operator" });
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

test.each([["/setup"], ["/settings"], ["/onboarding"]])(
  "%s loads less than 180 kB of compressed script",
  async (path) => {
    const visit = await browser.visit([app.url]);
    const scripts = new Set<string>();
    visit.page.on(
      "request",
      (request) =>
        request.resourceType() === "script" && scripts.add(new URL(request.url()).pathname),
    );
    await visit.page.goto(`${app.url}${path}?shop=${shop}&key=${ADMIN_KEY}`, {
      waitUntil: "networkidle",
    });
    const sizes = [...scripts].map(
      (script) =>
        statSync(`${resolve(import.meta.dirname, "../../../build/client")}${script}.gz`).size,
    );
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(180_000);
    await visit.close();
  },
);

test("the gate has no accessibility violations and accepts the admin key, also on a phone", async () => {
  const visit = await browser.visit([app.url]);
  const { page } = visit;
  await page.setViewportSize({ width: 390, height: 844 });
  expect((await page.goto(`${app.url}/settings?shop=${shop}`))?.status()).toBe(401);
  expect(await findA11yViolations(page)).toEqual([]);
  expect(await findOverflow(page)).toBe(0);
  await page.getByLabel("Admin key").fill("not the key at all");
  await page.getByRole("button", { name: "Continue with the key" }).click();
  await page.getByText("That key is incorrect.").waitFor();
  await page.getByLabel("Admin key").fill(ADMIN_KEY);
  await page.getByRole("button", { name: "Continue with the key" }).click();
  await page.getByRole("heading", { name: "Settings", exact: true }).waitFor();
  expect(page.url()).toBe(`${app.url}/settings?shop=${shop}`);
  expect(visit.foreign).toEqual([]);
  await visit.close();
});

test("a listed address signs in with the mailed code, without script", async () => {
  const visit = await browser.visit([app.url], { javaScriptEnabled: false });
  const { page } = visit;
  await page.goto(`${app.url}/onboarding?shop=${shop}`);
  await page.getByLabel("Your email address").fill("ops@example.com");
  await page.getByRole("button", { name: "Send me a code" }).click();
  await page.getByText("a code is on its way").waitFor();
  const [button, other] = await Promise.all([
    page.getByRole("button", { name: "Continue" }).boundingBox(),
    page.getByRole("link", { name: "Ask for another code" }).boundingBox(),
  ]);
  expect((other?.y ?? 0) - (button?.y ?? 0) - (button?.height ?? 0)).toBeGreaterThanOrEqual(8);
  await expect.poll(() => app.sandbox.email.mailsTo("ops@example.com").length).toBe(1);
  await page
    .getByLabel("Code from the email")
    .fill(/\d{8}/.exec(app.sandbox.email.mailsTo("ops@example.com")[0]?.text ?? "")?.[0] ?? "");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Onboarding", exact: true }).waitFor();
  await visit.close();
});
