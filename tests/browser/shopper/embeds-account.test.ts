// The account inside a theme's page, beside the banner and its choice.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PASSWORD } from "../../contract/identity/people.ts";
import { openBrowser } from "../../support/browser/browser.ts";
import { keptChoice, openStore, type StoreVisit } from "../../support/browser/store-visit.ts";
import { startConsentService, type ConsentService } from "../../support/consent.ts";
import { eventually } from "../../support/service.ts";

let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;
let shoppers = 0;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function signUpInTheme(options: { gpc?: boolean; wantsOffers?: boolean } = {}) {
  visit = await openStore(browser, service, {
    blocks: ["consent", "account", "footer"],
    ...(options.gpc && { gpc: true }),
  });
  await visit.open();
  const { page } = visit;
  const email = `in-theme-${(shoppers += 1)}@example.com`;
  await page.getByRole("button", { name: "No account yet? Create one" }).click();
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("checkbox", { name: /I accept the terms/ }).check();
  await page.getByRole("checkbox", { name: /privacy policy/ }).check();
  if (options.wantsOffers) await page.getByLabel("Send me news and offers").check();
  return {
    email,
    async finish() {
      await visit.button("Create an account").click();
      await page.getByText(email).waitFor();
      await eventually(
        "an empty outbox",
        async () => (await page.evaluate("localStorage.crm_outbox")) === "[]" || null,
      );
      const [account] = await service.database.query(
        `SELECT consent_cookie AS cookie, consent_marketing AS marketing FROM user_claims c
          JOIN storefront_users u ON u.shop = c.shop AND u.id = c.user_id WHERE u.email = $1`,
        [email],
      );
      return account;
    },
  };
}

describe("after a sign-up in the page", () => {
  it("the browser's choice is the account's: an empty box takes back what the banner was given", async () => {
    const { finish } = await signUpInTheme();
    await visit.button("Accept all").click();
    expect(await keptChoice(visit.page)).toMatchObject({ cookie: true, marketing: true });
    const account = await finish();
    expect(account).toEqual({ cookie: false, marketing: false });
    expect(await keptChoice(visit.page)).toMatchObject({ cookie: false, marketing: false });
    await visit.close();
  });

  it("what the person ticked stays with the account where the browser itself refuses marketing", async () => {
    const { finish } = await signUpInTheme({ gpc: true, wantsOffers: true });
    expect(await finish()).toEqual({ cookie: false, marketing: true });
    expect(await keptChoice(visit.page)).toMatchObject({ cookie: false });
    await visit.close();
  });
});

describe("the account beside the banner", () => {
  it("has ids of its own, and takes the focus after signing in", async () => {
    const { finish } = await signUpInTheme();
    const ids: string[] = await visit.page.evaluate(() =>
      [...document.querySelectorAll("[id]")].map(({ id }) => id),
    );
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    await finish();
    expect(
      await visit.page.evaluate(() => [
        document.activeElement?.tagName,
        document.activeElement?.closest("[data-page]")?.getAttribute("data-page"),
      ]),
    ).toEqual(["H1", "account"]);
    await visit.close();
  });

  it("signs out without a connection: this tab has no token any more", async () => {
    const { finish } = await signUpInTheme();
    await finish();
    expect(await visit.page.evaluate("sessionStorage.crm_session")).toBeTruthy();
    await visit.page.route(`${service.url}/**`, (route) => route.abort("internetdisconnected"));
    await visit.button("Sign out").click();
    await visit.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await visit.page.evaluate("sessionStorage.crm_session")).toBeUndefined();
    await visit.close();
  });
});
