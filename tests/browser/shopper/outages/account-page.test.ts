// The shopper's pages while the service, or what is in front of it, fails for a moment.
import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSessionCode } from "../../../../app/domain/identity/session/session-exchange.ts";
import { getAccount } from "../../../../app/domain/identity/account.ts";
import { dataOf, getTenant } from "../../../../app/domain/tenants/tenant.ts";
import { newEmail, PASSWORD, signUp, type Person } from "../../../contract/identity/people.ts";
import { openBrowser, type Visit } from "../../../support/browser/browser.ts";
import { pageUrl } from "../../../support/browser/shopper-pages.ts";
import { SHOP, startService, type Service } from "../../../support/service.ts";

const TOKEN_KEY = `crm_session:${SHOP}`;
const VERIFIER_KEY = `crm_sign_in:${SHOP}`;
const UNAVAILABLE = {
  status: 503,
  contentType: "application/json",
  body: '{"code":"database_unavailable"}',
};
const proxyPage = (status: number) => ({
  status,
  contentType: "text/html; charset=utf-8",
  body: "<!doctype html><title>One moment</title>",
});

let service: Service;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: Visit;
let person: Person;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
  await service.addTenant(SHOP);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
beforeEach(async () => {
  person = await signUp(service);
  visit = await browser.visit([service.url]);
});
afterEach(() => visit.close());

const keep = (key: string, value: string) =>
  visit.page.addInitScript(
    ([name, kept]) => sessionStorage.setItem(name as string, kept as string),
    [key, value],
  );
/** Answers the first call of this path in the service's stead; null: the connection is lost. */
const failOnce = (path: string, answer: object | null) =>
  visit.page.route(
    `**${path}*`,
    (route) => (answer ? route.fulfill(answer) : route.abort("connectionreset")),
    { times: 1 },
  );
const tryAgain = () => visit.page.getByRole("button", { name: "Try again" }).click();

describe("a signed-in shopper whose profile cannot be read", () => {
  it.each([
    ["the database is away", UNAVAILABLE],
    ["the connection is lost", null],
    ["a proxy answers with a page of its own", proxyPage(200)],
    ["a proxy refuses the call with a page", proxyPage(401)],
  ])("stays signed in and can try again when %s", async (_, answer) => {
    const { page } = visit;
    await keep(TOKEN_KEY, person.token);
    for (const name of ["account", "dashboard"] as const) {
      await failOnce("/auth/profile", answer);
      await page.goto(pageUrl(service, name));
      await page.getByRole("alert").waitFor();
      expect(await page.getByLabel("Password", { exact: true }).count()).toBe(0);
      expect(await page.getByText("Sign in to see your data").count()).toBe(0);
      await tryAgain();
      await page.getByText(person.email).first().waitFor();
    }
  });
});

it("a sign-up whose session cannot be checked is one, and not an address that is taken", async () => {
  const { page } = visit;
  const email = newEmail("away");
  await page.goto(pageUrl(service, "account"));
  await page.getByRole("button", { name: "No account yet? Create one" }).click();
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("checkbox", { name: /I accept the terms/ }).check();
  await page.getByRole("checkbox", { name: /privacy policy/ }).check();
  await failOnce("/auth/me", null);
  await page.getByRole("button", { name: "Create an account" }).click();
  await page.getByText(email).waitFor();
});

it.each([
  ["loses the call", null],
  ["does not decide", UNAVAILABLE],
])("the code of a completed sign-in is exchanged later when the service %s", async (_, answer) => {
  const { page } = visit;
  const tenant = await getTenant(service.ctx, SHOP);
  const account = await getAccount(dataOf(service.ctx, tenant).sql, person.id);
  const verifier = "what-only-the-tab-that-began-knows-0123456789";
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const code = await createSessionCode(service.ctx, tenant, account, challenge);
  await keep(VERIFIER_KEY, verifier);
  await failOnce("/auth/session", answer);
  await page.goto(`${pageUrl(service, "account")}#session_code=${code}`);
  await tryAgain();
  await page.getByText(person.email).waitFor();
});

it("a consent that a proxy answered with a page is not shown as given", async () => {
  const { page } = visit;
  await keep(TOKEN_KEY, person.token);
  await page.goto(pageUrl(service, "dashboard"));
  const offers = page.getByRole("switch", { name: "News and offers" });
  await failOnce("/auth/consent-sync", proxyPage(200));
  await offers.click();
  await page.getByRole("alert").waitFor();
  expect(await offers.getAttribute("aria-checked")).toBe("false");
  await offers.click();
  await page.locator('[role=switch][aria-checked="true"]').waitFor();
});
