// A shopper signs up, signs in and requests a new password in a real browser.
import { findA11yViolations } from "../../support/browser/accessibility.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { login, mailedLink, newEmail, PASSWORD, signUp } from "../../contract/identity/people.ts";
import { openBrowser, type Visit } from "../../support/browser/browser.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { overflowAt320, pageUrl, STORE_ORIGIN } from "../../support/browser/shopper-pages.ts";

let service: Service;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService({ background: true }), openBrowser()]);
  await service.addTenant(SHOP, {
    brand_name: "Kestrel <b>Outdoor</b>",
    terms_url: "https://store.example/terms",
    privacy_url: "https://store.example/privacy",
    consent_policy_version: "2026-10",
    auth_redirect_origin: STORE_ORIGIN,
    support_email: "help@store.example",
  });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const open = (options: { javaScriptEnabled?: boolean } = {}): Promise<Visit> =>
  browser.visit([service.url, service.sandbox.url], options);
const TOKEN = `sessionStorage.getItem("crm_session:${SHOP}")`;
const withoutRefusals = (errors: string[]) =>
  errors.filter((line) => !/status of (401|403|409|429)/.test(line));

async function expectHealthyPage(page: Visit["page"]): Promise<void> {
  expect(await findA11yViolations(page, { strict: true })).toEqual([]);
  expect(await overflowAt320(page)).toBe(0);
}

describe("signing up", () => {
  it("ticks no checkbox in advance, requires the two mandatory consents, and records the choices", async () => {
    const { page, errors, foreign, close } = await open();
    const email = newEmail("shopper");
    await page.goto(pageUrl(service, "account"));
    await page.getByRole("button", { name: "No account yet? Create one" }).click();
    await page.getByRole("heading", { name: "Create an account" }).waitFor();
    const boxes = page.getByRole("checkbox");
    expect(await boxes.count()).toBe(4);
    for (const box of await boxes.all()) expect(await box.isChecked()).toBe(false);
    expect(await page.getByRole("link", { name: /terms of use: read/ }).getAttribute("href")).toBe(
      "https://store.example/terms",
    );
    await expectHealthyPage(page);
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create an account" }).click();
    await page.getByRole("alert").waitFor();
    expect(
      await page.getByRole("checkbox", { name: /I accept the terms/ }).getAttribute("aria-invalid"),
    ).toBe("true");
    expect(
      await page
        .getByRole("checkbox", { name: /I accept the terms/ })
        .evaluate((box) => box === document.activeElement),
    ).toBe(true);
    await expectHealthyPage(page);
    expect(
      await service.database.query("SELECT 1 FROM storefront_users WHERE email = $1", [email]),
    ).toEqual([]);
    await page.getByRole("checkbox", { name: /I accept the terms/ }).check();
    await page.getByRole("checkbox", { name: /privacy policy/ }).check();
    await page.getByLabel("Send me news and offers").check();
    await page.getByLabel("First name").fill("Ada");
    await page.keyboard.press("Enter");
    await page.getByText(email).waitFor();
    const rows = await service.database.query(
      `SELECT consent_type, action, method, consent_version FROM consent_records r
        JOIN storefront_users u ON u.shop = r.shop AND u.id = r.user_id WHERE u.email = $1 ORDER BY seq`,
      [email],
    );
    const row = (consent_type: string, action: string) => ({
      consent_type,
      action,
      method: "signup",
      consent_version: "2026-10",
    });
    expect(rows).toEqual([
      row("tos", "granted"),
      row("privacy", "granted"),
      row("cookie", "revoked"),
      row("marketing", "granted"),
    ]);
    await expectHealthyPage(page);
    await page.getByRole("link", { name: "Manage your data and choices" }).click();
    await page.getByRole("switch", { name: "News and offers" }).waitFor();
    expect(
      await page.getByRole("switch", { name: "News and offers" }).getAttribute("aria-checked"),
    ).toBe("true");
    expect([withoutRefusals(errors), foreign]).toEqual([[], []]);
    await close();
  });

  it("shows each error beside its field, and that an address is taken", async () => {
    const { email } = await signUp(service);
    const { page, close } = await open();
    await page.goto(pageUrl(service, "account"));
    await page.getByRole("button", { name: "No account yet? Create one" }).click();
    await page.getByLabel("Email address").fill("nobody");
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByRole("checkbox", { name: /I accept the terms/ }).check();
    await page.getByRole("checkbox", { name: /privacy policy/ }).check();
    await page.getByRole("button", { name: "Create an account" }).click();
    await page.getByText("Enter an email address such as").waitFor();
    expect(await page.getByText("The password must be 8 to 128 characters").isVisible()).toBe(true);
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create an account" }).click();
    await page.getByText("An account with this address already exists").first().waitFor();
    expect(await page.getByLabel("Email address").getAttribute("aria-invalid")).toBe("true");
    await close();
  });
});

describe("signing in", () => {
  it("works by keyboard only, and an unknown address shows the same error as a wrong password", async () => {
    const { email } = await signUp(service);
    const { page, errors, foreign, close } = await open();
    await page.goto(pageUrl(service, "account"));
    await page.getByLabel("Email address").waitFor();
    await expectHealthyPage(page);
    const texts: string[] = [];
    for (const [address, password] of [
      ["nobody@example.com", PASSWORD],
      [email, "not the password"],
    ] as const) {
      await page.getByLabel("Email address").fill(address);
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      texts.push(await page.locator("main").innerText());
      expect(await page.getByLabel("Password", { exact: true }).inputValue()).toBe("");
    }
    expect(texts[0]).toBe(texts[1]);
    await page.reload();
    await page.getByLabel("Email address").waitFor();
    await page.keyboard.press("Tab");
    expect(
      await page.getByLabel("Email address").evaluate((input) => input.matches(":focus-visible")),
    ).toBe(true);
    await page.keyboard.type(email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText(email).waitFor();
    // The title receives the focus.
    expect(await page.evaluate("document.activeElement.id")).toBe("crm-title");
    expect(await page.title()).toBe("Your account - Kestrel <b>Outdoor</b>");
    expect(await page.locator("b").count()).toBe(0);
    expect([withoutRefusals(errors), foreign]).toEqual([[], []]);
    await close();
  });

  it("out without a connection shows why it did not end the cookie's session", async () => {
    const { email } = await signUp(service);
    const { page, close } = await open();
    await page.goto(pageUrl(service, "account"));
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText(email).waitFor();
    await page.context().setOffline(true);
    const out = page.getByRole("button", { name: "Sign out" });
    await out.click();
    await page.getByRole("alert").waitFor();
    await expectHealthyPage(page);
    await page.context().setOffline(false);
    await out.click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await close();
  });

  it("stores no script-readable token when the browser keeps the cookie, and signing out ends the session", async () => {
    const { email } = await signUp(service);
    const { page, close } = await open();
    await page.goto(pageUrl(service, "account"));
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText(email).waitFor();
    expect(await page.evaluate(`[${TOKEN}, document.cookie, localStorage.length]`)).toEqual([
      null,
      "",
      0,
    ]);
    await page.reload();
    await page.getByText(email).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    expect(await page.context().cookies(service.url)).toEqual([]);
    await close();
  });
});

describe("a forgotten password", () => {
  it("shows the same response for every address, and the mailed link works", async () => {
    const { email } = await signUp(service);
    const { page, close } = await open();
    await page.goto(pageUrl(service, "account"));
    const texts: string[] = [];
    for (const address of ["nobody@example.com", email]) {
      await page.getByLabel("Email address").fill("");
      await page.getByRole("button", { name: "Forgot your password?" }).click();
      await page.getByRole("heading", { name: "Set a new password" }).waitFor();
      await expectHealthyPage(page);
      await page.getByLabel("Email address").fill(address);
      await page.keyboard.press("Enter");
      await page.getByText("If there is an account with this address").waitFor();
      texts.push(await page.locator("main").innerText());
    }
    expect(texts[0]).toBe(texts[1]);
    await page.goto(await mailedLink(service, email, "/auth/password/reset"));
    await page.getByLabel("New password").fill("a fine new password");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Password saved" }).waitFor();
    await close();
    expect((await login(service, email, "a fine new password")).status).toBe(200);
  });
});

describe("the page", () => {
  it("without script shows where to sign in and a contact", async () => {
    const { page, close } = await open({ javaScriptEnabled: false });
    await page.goto(pageUrl(service, "account", "&locale=es"));
    const text = await page.locator("main").innerText();
    expect(text).toContain("Esta página necesita JavaScript");
    expect(text).not.toContain("Cargando");
    expect(await page.locator("noscript a[href^=mailto]").getAttribute("href")).toBe(
      "mailto:help@store.example",
    );
    await page.goto((await page.locator("noscript li a").first().getAttribute("href")) as string);
    await page.getByRole("heading", { name: "Sign in to the federated provider" }).waitFor();
    await close();
  });

  it.each([
    ["es", "Tu cuenta", "¿Aún no tienes cuenta? Crea una"],
    ["fr", "Votre compte", "Pas encore de compte ? Créez-en un"],
  ])("speaks %s", async (locale, title, link) => {
    const { page, close } = await open();
    await page.goto(pageUrl(service, "account", `&locale=${locale}`));
    await page.getByRole("button", { name: link }).click();
    expect([
      await page.getByRole("heading", { level: 1 }).innerText(),
      await page.locator("html").getAttribute("lang"),
    ]).toEqual([title, locale]);
    await expectHealthyPage(page);
    await close();
  });

  it("returns to a page of the store, by its path only", async () => {
    const { page, close } = await open();
    await page.goto(pageUrl(service, "account", "&return_to=/pages/club"));
    await page.getByLabel("Email address").waitFor();
    expect(await page.getByRole("link", { name: "Back to the store" }).getAttribute("href")).toBe(
      `${STORE_ORIGIN}/pages/club`,
    );
    for (const evil of [
      "https://evil.example/",
      "//evil.example",
      "/\\evil.example",
      "javascript:alert(1)",
    ]) {
      await page.goto(pageUrl(service, "account", `&return_to=${encodeURIComponent(evil)}`));
      await page.getByLabel("Email address").waitFor();
      expect([
        evil,
        await page.getByRole("link", { name: "Back to the store" }).count(),
        (await page.content()).includes("evil.example"),
      ]).toEqual([evil, 0, false]);
    }
    await close();
  });
});
