// The shopper's dashboard in a real browser: everything that can be read, changed and revoked there.
import { beforeEach, describe, expect, it } from "vitest";
import { getMe } from "../../contract/identity/people.ts";
import { consent, type Shopper } from "../../support/agents/commerce.ts";
import {
  downloaded,
  expectHealthyPage,
  noErrors,
  settled,
  useDashboard,
} from "../../support/browser/dashboard.ts";
import { SHOP, type Service } from "../../support/service.ts";
import { pageUrl } from "../../support/browser/shopper-pages.ts";

const EVIL = `<img src=x onerror="document.title='run'">`;
const dashboard = useDashboard();
const { open, linkAgent } = dashboard;
let service: Service;
let shopper: Shopper;
beforeEach(() => {
  ({ service, shopper } = dashboard);
});

describe("the dashboard", () => {
  it("without data shows an empty state in every section and has no errors", async () => {
    const visit = await open();
    await settled(visit.page);
    const text = await visit.page.locator("main").innerText();
    for (const sentence of [
      "No orders in the last 60 days.",
      "No mandates: no agent may pay for you.",
      "No agent may act for you.",
    ])
      expect(text).toContain(sentence);
    await expectHealthyPage(visit.page);
    noErrors(visit);
    await visit.close();
  });

  it("without a session asks for the sign-in and shows nothing else", async () => {
    const { page, close } = await open(null);
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    await expectHealthyPage(page);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("E-mail address").waitFor();
    await close();
  });

  it("in a browser without our cookie still shows the orders, because the page is not an agent", async () => {
    service.sandbox.storefront.putOrder(SHOP, {
      customerGid: shopper.gid,
      lines: [],
      total: "40.00",
    });
    const { page, token, close } = await open();
    await page.evaluate(`sessionStorage.setItem("crm_session:${SHOP}", ${JSON.stringify(token)})`);
    await page.context().clearCookies();
    await page.reload();
    await page.locator("#crm-orders").getByText("€40.00").waitFor();
    await page.getByRole("button", { name: "Details" }).click();
    await page.locator("#crm-orders").getByText("Not sent yet").waitFor();
    await close();
  });

  it("with a session that ended elsewhere shows it at the next click, and hides all data", async () => {
    const { page, token, close } = await open();
    await settled(page);
    await service.call("POST", "/auth/logout", { key: token });
    await page.getByRole("switch", { name: "News and offers" }).click();
    await page.getByText("Your session has ended. Sign in again.").waitFor();
    expect(await page.getByText(shopper.email).count()).toBe(0);
    await close();
  });
});

describe("the dashboard in dark mode", () => {
  it.each(["es", "fr"])("in %s has no errors either", async (locale) => {
    await consent(service, shopper, { consent_ap2: true, consent_marketing: true });
    await linkAgent("Trail Planner");
    service.sandbox.storefront.putOrder(SHOP, {
      customerGid: shopper.gid,
      lines: [],
      total: "40.00",
    });
    const { page, close } = await open();
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.goto(pageUrl(service, "dashboard", `&locale=${locale}`));
    await page.locator("#crm-agents").getByText("Trail Planner").waitFor();
    await expectHealthyPage(page);
    await page.goto(pageUrl(service, "account", `&locale=${locale}`));
    await page.getByText(shopper.email).waitFor();
    await expectHealthyPage(page);
    await close();
  });
});

describe("the profile", () => {
  it("is changed by keyboard, and an invalid picture URL is rejected beside its field", async () => {
    const visit = await open();
    const { page } = visit;
    await page.getByLabel("First name").focus();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("Grace");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("Hopper");
    await page.getByLabel("Language").selectOption("fr");
    await page.getByLabel("Last name").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Saved.").waitFor();
    expect((await getMe(service, shopper.token)).json.user).toMatchObject({
      full_name: "Grace Hopper",
      language_pref: "fr",
    });
    await page.getByLabel("Address of your picture").fill("javascript:alert(1)");
    await page.keyboard.press("Enter");
    await page.getByText("This value cannot be taken.").waitFor();
    expect(await page.getByLabel("Address of your picture").getAttribute("aria-invalid")).toBe(
      "true",
    );
    expect((await getMe(service, shopper.token)).json.user.avatar_url).toBeNull();
    await visit.close();
  });
});

describe("a consent", () => {
  it("is granted and withdrawn by one click each, by keyboard too, and is in the history at once", async () => {
    await consent(service, shopper, { consent_marketing: false });
    const visit = await open();
    const { page } = visit;
    await settled(page);
    await page.getByRole("row", { name: /News and offers Declined/ }).waitFor();
    const marketing = page.getByRole("switch", { name: "News and offers" });
    await marketing.click();
    await page.getByRole("row", { name: /News and offers Granted/ }).waitFor();
    expect((await getMe(service, shopper.token)).json.consents.marketing).toBe(true);
    await marketing.focus();
    await page.keyboard.press("Space");
    await page.getByRole("row", { name: /News and offers Withdrawn/ }).waitFor();
    expect(await marketing.getAttribute("aria-checked")).toBe("false");
    expect(await page.getByRole("status").innerText()).toBe("News and offers: Withdrawn");
    expect((await getMe(service, shopper.token)).json.consents.marketing).toBe(false);
    await expectHealthyPage(page);
    noErrors(visit);
    await visit.close();
  });

  it("the history has pages, and downloads completely and by receipt", async () => {
    for (let times = 0; times < 6; times += 1)
      for (const consent_cookie of [true, false])
        await consent(service, shopper, { consent_cookie });
    const { page, close } = await open();
    await settled(page);
    const rows = page.locator("#crm-consents tbody tr");
    expect(await rows.count()).toBe(10);
    await page.getByRole("button", { name: "Show more" }).click();
    await rows.nth(13).waitFor();
    expect(await rows.count()).toBe(14);
    expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
    const csv = await downloaded(page, "Download all as CSV");
    expect([csv.name, csv.text.trim().split("\r\n").length]).toEqual(["consent-history.csv", 15]);
    const receipt = await downloaded(page, "Download the receipt of");
    expect([receipt.name, JSON.parse(receipt.text).services[0].purpose]).toEqual([
      "consent-receipt.json",
      "cookie",
    ]);
    await close();
  });
});

describe("tags and orders", () => {
  it("that the shopper may choose are checkboxes; the store's own are read-only", async () => {
    await service.call("POST", `/admin/init-tag-system?shop=${SHOP}&step=backend`);
    await service.call("POST", `/admin/tags/assign?shop=${SHOP}`, {
      body: { user_id: shopper.id, email: shopper.email, add: ["VIP"], remove: [] },
    });
    const { page, close } = await open();
    await settled(page);
    expect(await page.getByRole("checkbox", { name: "VIP" }).count()).toBe(0);
    await page.getByRole("checkbox", { name: "Email Subscribed" }).check();
    await page.getByText("Saved.").waitFor();
    const mine = async () =>
      (await service.call("GET", "/tags/mine", { key: shopper.token })).json.tags.map(
        ({ slug }: any) => slug,
      );
    expect(await mine()).toContain("email_subscribed");
    await page.reload();
    await settled(page);
    expect(await page.getByRole("checkbox", { name: "Email Subscribed" }).isChecked()).toBe(true);
    await expectHealthyPage(page);
    await close();
  });

  it("with hostile names, tags, titles and agents are shown as text", async () => {
    const {
      variants: [variant],
    } = service.sandbox.storefront.putProduct(SHOP, {
      title: `Lamp & ${EVIL}`,
      variants: [{ sku: "EVIL" }],
    });
    service.sandbox.storefront.putOrder(SHOP, {
      customerGid: shopper.gid,
      name: `#${EVIL}`,
      lines: [{ variantGid: variant?.gid ?? "", quantity: 2 }],
      createdAt: "2026-11-01T10:00:00Z",
      fulfillments: [
        {
          gid: "gid://shopify/Fulfillment/1",
          status: "SUCCESS",
          createdAt: "2026-11-02T10:00:00Z",
          tracking: [{ company: EVIL, number: EVIL, url: "javascript:alert(1)" }],
        },
      ],
    });
    await service.database.query(
      "INSERT INTO crm_tags (shop, name, slug, category) VALUES ($1, $2, 'evil_tag', 'campaign')",
      [SHOP, EVIL],
    );
    await service.call("PATCH", "/auth/profile", {
      key: shopper.token,
      body: { first_name: EVIL, last_name: "</script><script>document.title='run'</script>" },
    });
    await linkAgent(EVIL);
    await service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
      key: shopper.token,
      body: { method: "newsletter_form", form_type: "constructor" },
    });
    const visit = await open();
    const { page } = visit;
    await settled(page);
    await page.locator("#crm-orders").getByRole("button", { name: "Details" }).click();
    await page.getByText("Quantity 2").waitFor();
    await settled(page);
    expect([
      await page.locator("#crm-app img, #crm-app script, #crm-app a[href^=javascript]").count(),
      await page.title(),
    ]).toEqual([0, "Your data and choices - test-store"]);
    expect(await page.locator("#crm-agents").innerText()).toContain(EVIL);
    expect(await page.locator("#crm-tags").innerText()).toContain(EVIL);
    await expectHealthyPage(page);
    await page.goto(pageUrl(service, "account"));
    await page.getByText(shopper.email).waitFor();
    expect(await page.locator("main").innerText()).toContain(EVIL);
    noErrors(visit);
    await visit.close();
  });
});
