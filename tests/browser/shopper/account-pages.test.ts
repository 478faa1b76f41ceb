// The pages behind mailed links in a real browser without script, by keyboard only.
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  login,
  mailedLink,
  newEmail,
  PASSWORD,
  signUp,
  forgot,
} from "../../contract/identity/people.ts";
import { openBrowser, type Visit } from "../../support/browser/browser.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService({ background: true }), openBrowser()]);
  await service.addTenant(SHOP, { brand_name: "Kestrel Outdoor" });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const visit = (): Promise<Visit> => browser.visit([service.url], { javaScriptEnabled: false });

async function resetLink(): Promise<{ email: string; link: string }> {
  const email = newEmail("keyboard");
  await signUp(service, { email });
  await forgot(service, email);
  return { email, link: await mailedLink(service, email, "/auth/password/reset") };
}

it("a password is reset by the mailed link without script, with Tab, letters and Enter", async () => {
  const { email, link } = await resetLink();
  const { page, errors, foreign, close } = await visit();
  await page.goto(link);
  expect(await page.title()).toBe("Choose a password - Kestrel Outdoor");
  const field = page.getByLabel("New password");
  expect(await field.getAttribute("autocomplete")).toBe("new-password");
  await page.keyboard.press("Tab");
  expect(await field.evaluate((element) => element.matches(":focus-visible"))).toBe(true);
  await page.keyboard.type("a fine password");
  await page.keyboard.press("Tab");
  const button = page.getByRole("button", { name: "Save password" });
  expect(await button.evaluate((element) => element.matches(":focus-visible"))).toBe(true);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Password saved" }).waitFor();
  expect(await page.getByRole("status").textContent()).toContain("You can sign in with it now");
  expect(page.url()).not.toContain("token");
  expect([errors, foreign]).toEqual([[], []]);
  await close();
  expect((await login(service, email, PASSWORD)).status).toBe(401);
  expect((await login(service, email, "a fine password")).status).toBe(200);
});

it("a password equal to the address is rejected with an announced error, and Enter in the field submits again", async () => {
  const { email, link } = await resetLink();
  const { page, close } = await visit();
  await page.goto(link);
  await page.keyboard.press("Tab");
  await page.keyboard.type(email);
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  const field = page.getByLabel("New password");
  expect([await field.inputValue(), await field.getAttribute("aria-invalid")]).toEqual([
    "",
    "true",
  ]);
  expect(await field.getAttribute("aria-describedby")).toContain("problem");
  await page.keyboard.press("Tab");
  await page.keyboard.type("a fine password");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Password saved" }).waitFor();
  await close();
  expect((await login(service, email, "a fine password")).status).toBe(200);
});

it("a short password is rejected in the browser, and a used link shows an error", async () => {
  const { link } = await resetLink();
  const { page, close } = await visit();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.method()));
  await page.goto(link);
  await page.keyboard.press("Tab");
  await page.keyboard.type("short");
  await page.keyboard.press("Enter");
  await page.keyboard.type(" no more");
  expect(asked).toEqual(["GET"]);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Password saved" }).waitFor();
  await page.goto(link);
  await page.keyboard.press("Tab");
  await page.keyboard.type("another password");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  await close();
});

it("fits a phone of 320 px, with touch targets of sufficient size", async () => {
  const { link } = await resetLink();
  const { page, close } = await visit();
  await page.setViewportSize({ width: 320, height: 568 });
  await page.goto(link);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  for (const target of [page.getByLabel("New password"), page.getByRole("button")])
    expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(40);
  await close();
});

it("an address is verified with the account's password", async () => {
  const email = newEmail("keyboard");
  const { token } = await signUp(service, { email });
  const { page, errors, foreign, close } = await visit();
  await page.goto(await mailedLink(service, email, "/auth/verify-email"));
  await page.keyboard.press("Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Address verified" }).waitFor();
  expect([errors, foreign]).toEqual([[], []]);
  await close();
  expect((await service.call("GET", "/auth/me", { key: token })).json.user.email_verified).toBe(
    true,
  );
});
