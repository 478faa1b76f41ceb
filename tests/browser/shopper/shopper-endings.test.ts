// The shopper's dashboard in a real browser: the end of mandates, agents, sessions and the account,
// and the view of a customer identified by the storefront only.
import { beforeEach, describe, expect, it } from "vitest";
import { getMe, login, PASSWORD } from "../../contract/identity/people.ts";
import { addToCatalog } from "../../support/storefront/tag-catalog.ts";
import { refresh } from "../../support/agents/agent.ts";
import { asAgent, consent, type Shopper } from "../../support/agents/commerce.ts";
import {
  downloaded,
  expectHealthyPage,
  noErrors,
  settled,
  useDashboard,
  type Dashboard,
} from "../../support/browser/dashboard.ts";
import { eventually, SHOP, type Service } from "../../support/service.ts";
import { pageUrl, proxyThroughStore, STORE_ORIGIN } from "../../support/browser/shopper-pages.ts";

const dashboard = useDashboard();
const { open, linkAgent } = dashboard;
let service: Service;
let browser: Dashboard["browser"];
let shopper: Shopper;
beforeEach(() => {
  ({ service, browser, shopper } = dashboard);
});

describe("agents", () => {
  it("lose a mandate by one click", async () => {
    await consent(service, shopper, { consent_ap2: true });
    const { mandate_id } = (
      await asAgent(service, shopper, "POST", "/commerce/mandates", {
        body: {
          max_amount: "100.00",
          currency: "EUR",
          scope: "collection:outdoor",
          usage: "multi",
        },
      })
    ).json;
    await service.database.query("UPDATE mandates SET spent_amount = 25.5 WHERE mandate_id = $1", [
      mandate_id,
    ]);
    const visit = await open();
    const { page } = visit;
    await settled(page);
    const meter = page.getByRole("meter", { name: "€25.50 of €100.00 spent" });
    expect(await meter.evaluate((one: HTMLMeterElement) => one.value / one.max)).toBe(0.255);
    expect(await page.locator("#crm-mandates").innerText()).toContain("remaining €74.50");
    await expectHealthyPage(page);
    await page.getByRole("button", { name: "Revoke the mandate of €100.00" }).click();
    await page.getByText("The mandate is revoked.").waitFor();
    expect(
      (await asAgent(service, shopper, "GET", `/commerce/mandates/${mandate_id}`)).json.status,
    ).toBe("revoked");
    expect(await page.getByRole("button", { name: /Revoke the mandate/ }).count()).toBe(0);
    noErrors(visit);
    await visit.close();
  });

  it("are shown with their mandates", async () => {
    await consent(service, shopper, { consent_ap2: true });
    const { client } = await linkAgent("Trail Planner");
    for (const agent_clients of [null, [client], ["https://gifts.example/agent.json"]])
      await asAgent(service, shopper, "POST", "/commerce/mandates", {
        body: { max_amount: "10.00", currency: "EUR", scope: "all", agent_clients },
      });
    const { page, close } = await open();
    await settled(page);
    const rows = await page.locator("#crm-mandates li").allInnerTexts();
    expect(rows.map((row) => /(?:only )?by .*/.exec(row)?.[0])).toEqual([
      "only by gifts.example",
      "only by Trail Planner",
      "by any linked agent",
    ]);
    await close();
  });

  it("show what they asked for and what was refused, without a reload", async () => {
    const { tokens } = await linkAgent("Trail Planner");
    await linkAgent("Gift Finder");
    for (const path of ["/commerce/identity", "/commerce/orders"])
      expect((await service.call("GET", path, { key: tokens.access_token })).status).toBe(200);
    const { page, close } = await open();
    await settled(page);
    const activity = page.locator("#crm-activity .rows");
    // The calls above are written within a second, and appear without a reload.
    await activity.getByText("See your orders").waitFor();
    const text = await activity.innerText();
    expect(text).toMatch(/See your orders[\s\S]*Trail Planner/);
    expect(text).toMatch(/See your profile[\s\S]*You linked it/);
    expect(
      (await service.call("GET", "/commerce/returns/R-1", { key: tokens.access_token })).status,
    ).toBe(404);
    await activity.getByText("It failed.").waitFor();
    await close();
  });

  it("lose their access by one click, and their tokens are revoked", async () => {
    const { client, tokens } = await linkAgent("Trail Planner");
    await linkAgent("Gift Finder");
    expect((await getMe(service, tokens.access_token)).status).toBe(200);
    const { page, close } = await open();
    await settled(page);
    expect(await page.locator("#crm-agents").innerText()).toMatch(
      /Trail Planner[\s\S]*last used[\s\S]*see your orders/,
    );
    await page.getByRole("button", { name: "Revoke access for Trail Planner" }).click();
    await page.getByText("The agent no longer has access.").waitFor();
    await page.locator("#crm-agents").getByText("Trail Planner").waitFor({ state: "detached" });
    expect(await page.locator("#crm-agents").getByText("Gift Finder").count()).toBe(1);
    expect((await getMe(service, tokens.access_token)).status).toBe(401);
    expect((await refresh(service, client, tokens.refresh_token)).json.error).toBe("invalid_grant");
    await close();
  });

  it("disappear from the page when the consent is withdrawn", async () => {
    await linkAgent("Trail Planner");
    const { page, close } = await open();
    await page.locator("#crm-agents").getByText("Trail Planner").waitFor();
    await page.getByRole("switch", { name: "Agents can act for you" }).click();
    await page.getByText("No agent can act for you.").waitFor();
    await close();
  });
});

describe("leaving", () => {
  it("downloads all stored data", async () => {
    const { page, close } = await open();
    const { name, text } = await downloaded(page, "Download your data");
    expect(name).toBe("my-data.json");
    expect(JSON.parse(text)).toMatchObject({
      store: SHOP,
      is_complete: true,
      accounts: [{ email: shopper.email }],
    });
    await page.getByText("File downloaded.").waitFor();
    await close();
  });

  it("signs out on all devices", async () => {
    const other = (await login(service, shopper.email)).json.token;
    const { page, close } = await open();
    await page.getByRole("button", { name: "Sign out on all devices" }).click();
    await page.getByText("You are signed out.").waitFor();
    for (const token of [shopper.token, other])
      expect((await getMe(service, token)).status).toBe(401);
    await close();
  });

  it("deletes the account with the right password only, by keyboard", async () => {
    const { page, close } = await open();
    await page.getByRole("button", { name: "Delete the account" }).focus();
    await page.keyboard.press("Enter");
    const password = page.getByLabel("Your password, to confirm");
    expect(await password.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.type("not the password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("The password is wrong.").waitFor();
    await expectHealthyPage(page);
    expect((await getMe(service, shopper.token)).status).toBe(200);
    await password.focus();
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText("Your account is deleted.").waitFor();
    expect((await login(service, shopper.email)).status).toBe(401);
    expect(await page.context().cookies(service.url)).toEqual([]);
    await close();
  });
});

describe("leaving without a password", () => {
  it("deletes the account with a checkbox, soon after the sign-in, by a button that looks like no other and stands apart from Cancel", async () => {
    const { page, token, close } = await open();
    await service.database.query(
      "UPDATE storefront_users SET password_hash = '', provider = 'federated' WHERE id = $1",
      [shopper.id],
    );
    await page.reload();
    await page.getByRole("button", { name: "Delete the account" }).click();
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText("Tick this box.").waitFor();
    expect((await getMe(service, token)).status).toBe(200);
    const final = page.getByRole("button", { name: "Delete permanently" });
    const cancel = page.getByRole("button", { name: "Cancel" });
    const [left, right] = await Promise.all([final.boundingBox(), cancel.boundingBox()]);
    expect((right?.x ?? 0) - (left?.x ?? 0) - (left?.width ?? 0)).toBeGreaterThanOrEqual(8);
    const colorOf = (button: typeof final) =>
      button.evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await colorOf(final)).not.toBe(
      await colorOf(page.getByRole("button", { name: "Save", exact: true }).first()),
    );
    await expectHealthyPage(page);
    await page.getByLabel("I want to delete my account permanently").check();
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText("Your account is deleted.").waitFor();
    expect((await getMe(service, token)).status).toBe(401);
    await close();
  });
});

describe("a customer identified by the storefront's proxy", () => {
  const customer = () => shopper.gid.slice(shopper.gid.lastIndexOf("/") + 1);

  it("without a sign-in sees the own consents and tags, changes a consent, and finds a link to sign in", async () => {
    await addToCatalog(service, ["Trail club"]);
    await service.call("POST", "/ucp/tags", {
      key: shopper.token,
      body: { add: ["Trail club"], remove: [] },
    });
    const visit = await browser.visit([service.url]);
    const { page } = visit;
    await proxyThroughStore(service, page, customer);
    await page.goto(`${STORE_ORIGIN}/apps/crm/embed/dashboard`);
    const marketing = page.getByRole("switch", { name: "News and offers" });
    await marketing.waitFor();
    expect(await marketing.getAttribute("aria-checked")).toBe("false");
    expect(await page.locator("#crm-tags").innerText()).toContain("Trail club");
    expect(
      await page
        .getByText("Sign in for your profile, your orders, your history and more.")
        .isVisible(),
    ).toBe(true);
    await marketing.click();
    await page.getByText("News and offers: granted").waitFor();
    expect((await getMe(service, shopper.token)).json.consents.marketing).toBe(true);
    await expectHealthyPage(page);
    expect((await page.content()).includes(shopper.email)).toBe(false);
    // The store's own pages start with this choice.
    expect(await page.evaluate(`JSON.parse(localStorage.getItem("crm_consent"))`)).toMatchObject({
      marketing: true,
    });
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByText("You're signed in to the store.").waitFor();
    noErrors(visit);
    await visit.close();
  });

  it("can open the page in the store's frame and in no other", async () => {
    const { page, errors, close } = await browser.visit([
      service.url,
      STORE_ORIGIN,
      "https://evil.example",
    ]);
    await page
      .context()
      .grantPermissions(["local-network-access"], { origin: STORE_ORIGIN })
      .catch(() => undefined);
    for (const origin of [STORE_ORIGIN, "https://evil.example"]) {
      await page.route(`${origin}/**`, (route) =>
        route.fulfill({
          contentType: "text/html",
          body: `<!doctype html><link rel=icon href=data:,><iframe src="${pageUrl(service, "account")}" title="Account" width=600 height=600></iframe>`,
        }),
      );
      await page.goto(`${origin}/`);
      if (origin !== STORE_ORIGIN) continue;
      const frame = page.frameLocator("iframe");
      await frame.getByLabel("Email address").fill(shopper.email);
      await frame.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await frame.getByRole("button", { name: "Sign in" }).click();
      await frame.getByText(shopper.email).waitFor();
      expect(errors.filter((line) => !line.includes("401"))).toEqual([]);
    }
    // The browser's error page in place of a page that must not be framed.
    expect(await eventually("the frame", () => page.frames()[1]?.url())).toBe(
      "chrome-error://chromewebdata/",
    );
    await close();
  });
});
