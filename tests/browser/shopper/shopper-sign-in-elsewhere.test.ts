// A shopper signs in with a provider and returns: to the account page, to the store's own domain,
// into a theme's page.
import { findA11yViolations } from "../../support/browser/accessibility.ts";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getAccount } from "../../../app/domain/identity/account.ts";
import { createSessionCode } from "../../../app/domain/identity/session/session-exchange.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { newEmail, signUp } from "../../contract/identity/people.ts";
import { openBrowser, type Visit } from "../../support/browser/browser.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import {
  overflowAt320,
  pageUrl,
  proxyThroughStore,
  STORE_ORIGIN,
} from "../../support/browser/shopper-pages.ts";

let service: Service;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService({ background: true }), openBrowser()]);
  await service.addTenant(SHOP, { auth_redirect_origin: STORE_ORIGIN });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const open = (): Promise<Visit> => browser.visit([service.url, service.sandbox.url]);
const TOKEN = `sessionStorage.getItem("crm_session:${SHOP}")`;
const withoutRefusals = (errors: string[]) =>
  errors.filter((line) => !/status of (401|403|502)/.test(line));

describe("signing in", () => {
  it("with a provider and blocked cookies exchanges the one-time code for a token of this tab, and removes it from the URL", async () => {
    const { page, errors, foreign, close } = await open();
    await page.context().route(`${service.url}/**`, async (route) => {
      // The browser blocks the session cookies, so the page works without them.
      await page.context().clearCookies({ name: "__Host-crm_session" });
      if (route.request().method() === "GET") return route.continue();
      const response = await route.fetch();
      const headers = Object.fromEntries(
        Object.entries(response.headers()).filter(([name]) => name !== "set-cookie"),
      );
      return route.fulfill({ response, headers });
    });
    await page.goto(pageUrl(service, "account"));
    await page.getByRole("link", { name: "Sign in with your identity provider" }).click();
    await page.getByRole("button", { name: "Sign in as Ada Byron" }).click();
    await page.getByText("ada@example.com").waitFor();
    expect([page.url(), await page.evaluate("location.hash")]).toEqual([
      `${pageUrl(service, "account")}&locale=en`,
      "",
    ]);
    expect(await page.evaluate(TOKEN)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    await page.getByRole("link", { name: "Manage your data and choices" }).click();
    await page.getByRole("switch", { name: "News and offers" }).click();
    await page.getByText("History of your consents").click();
    await page.getByRole("cell", { name: "Customer account" }).waitFor();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByText("You are signed out.").waitFor();
    expect(await page.evaluate(`[${TOKEN}, localStorage.length]`)).toEqual([null, 0]);
    expect([withoutRefusals(errors), foreign]).toEqual([[], []]);
    await close();
  });

  it("with a provider and cancelled shows it, cleans the URL, and shows no text of the provider", async () => {
    const { page, close } = await open();
    await page.goto(pageUrl(service, "account"));
    await page.getByRole("link", { name: "Sign in with your store account" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("You canceled the sign-in.").waitFor();
    expect(page.url()).not.toContain("error");
    await page.goto(
      pageUrl(service, "account", `&error=${encodeURIComponent("<img src=x onerror=alert(1)>")}`),
    );
    await page.getByText("The sign-in didn't work. Try again.").waitFor();
    await close();
  });

  it("on the store's own domain, where our cookies are third-party cookies, exchanges the code and acts as the shopper", async () => {
    const { page, errors, foreign, close } = await open();
    await proxyThroughStore(service, page, () => "");
    await page.goto(`${STORE_ORIGIN}/apps/crm/embed/account`);
    await page.getByRole("link", { name: "Sign in with your identity provider" }).click();
    await page.getByLabel("Email", { exact: true }).fill("proxied@example.com");
    await page.getByLabel("Name").fill("Proxied Person");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("proxied@example.com").waitFor();
    expect(page.url()).toBe(`${STORE_ORIGIN}/apps/crm/embed/account?locale=en`);
    await page.getByRole("link", { name: "Manage your data and choices" }).click();
    await page.getByRole("heading", { name: "Orders" }).waitFor();
    await page.getByRole("switch", { name: "Analytics" }).click();
    await page.getByText("History of your consents").click();
    await page.getByRole("cell", { name: "Customer account" }).waitFor();
    await page
      .getByText("No orders in the last 60 days.")
      .or(page.getByText("The orders can't be shown"))
      .waitFor();
    expect([withoutRefusals(errors), foreign]).toEqual([[], []]);
    await close();
  });

  it("inside a theme's page returns to that page, with the account inside the theme, also when the service is away at that moment", async () => {
    const { page, errors, foreign, close } = await open();
    const script = readFileSync(
      resolve(import.meta.dirname, "../../../extensions/consent-footer/assets/crm-theme.js"),
      "utf8",
    );
    const theme = `<!doctype html><html lang="en"><title>The store</title><link rel=icon href=data:,><body><main><h2>Club</h2><form><label for="email">Newsletter</label><input id="email"></form><div data-crm-embed="account"><p><a href="/apps/crm/embed/account">Your account</a></p></div></main><script src="/crm-theme.js" data-crm-theme="/crm-theme.js" data-path="/apps/crm" data-locale="en" data-banner="false"></script></body></html>`;
    await proxyThroughStore(service, page, () => "", {
      "/pages/club": ["text/html", theme],
      "/crm-theme.js": ["text/javascript", script],
    });
    await page.goto(`${STORE_ORIGIN}/pages/club`);
    await page.getByLabel("Email address").waitFor();
    expect(await findA11yViolations(page, { strict: true })).toEqual([]);
    expect(await overflowAt320(page)).toBe(0);
    await page.getByRole("link", { name: "Sign in with your identity provider" }).click();
    const refused: string[] = [];
    await page.context().route(`${STORE_ORIGIN}/apps/crm/auth/session`, (route) => {
      if (refused.push(route.request().method()) > 1) return route.fallback();
      return route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" });
    });
    await page.getByLabel("Email", { exact: true }).fill("club@example.com");
    await page.getByLabel("Name").fill("Club Member");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("club@example.com").waitFor();
    expect([page.url(), refused]).toEqual([`${STORE_ORIGIN}/pages/club`, ["POST", "POST"]]);
    expect([withoutRefusals(errors), foreign]).toEqual([[], []]);
    await close();
  });
});

describe("a code in the URL", () => {
  const challenge = createHash("sha256").update("the attacker's verifier").digest("base64url");
  const codeOf = async (): Promise<string> =>
    createSessionCode(
      service.ctx,
      await getTenant(service.ctx, SHOP),
      await getAccount(
        service.ctx.home.forTenant(SHOP).sql,
        (await signUp(service, { email: newEmail("attacker") })).id,
      ),
      challenge,
    );

  it("from another person does not sign in: only a tab that started a sign-in exchanges one", async () => {
    const { page, close } = await open();
    await page.goto(`${pageUrl(service, "account")}#session_code=${await codeOf()}`);
    await page.getByLabel("Email address").waitFor();
    await page.getByText("The sign-in took too long or was already used").waitFor();
    expect([
      page.url().includes("session_code"),
      await page.evaluate(TOKEN),
      await page.context().cookies(service.url),
    ]).toEqual([false, null, []]);
    await close();
  });

  it("that is used or invented shows an error, and is removed from the URL", async () => {
    const { page, close } = await open();
    await page.goto(pageUrl(service, "account"));
    await page.evaluate(`sessionStorage.setItem("crm_sign_in:${SHOP}", "1")`);
    await page.goto(`${pageUrl(service, "account", "&again=1")}#session_code=made-up`);
    await page.getByText("The sign-in took too long or was already used").waitFor();
    expect(page.url()).not.toContain("made-up");
    await close();
  });
});
