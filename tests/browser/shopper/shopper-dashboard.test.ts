// The shopper's dashboard in a real browser: everything that can be read, changed and revoked there.
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { getMe } from "../../contract/identity/people.ts";
import { authorizePath, newClient, pkce } from "../../support/agents/agent.ts";
import { consent, type Shopper } from "../../support/agents/commerce.ts";
import {
  downloaded,
  expectHealthyPage,
  noErrors,
  settled,
  useDashboard,
} from "../../support/browser/dashboard.ts";
import { SHOP, type Service } from "../../support/service.ts";
import { daysAgo } from "../../support/storefront/synced-store.ts";
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
      "No mandates: no agent can pay for you.",
      "No agent can act for you.",
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
    await page.getByLabel("Email address").waitFor();
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
    await page.locator("#crm-orders").getByText("Not sent yet.", { exact: true }).waitFor();
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

describe("the store's brand", () => {
  /** The lowest contrast of a button's text to its ground, and the ground, as the browser paints them. */
  const primaryButton = (page: Page) =>
    page.getByRole("button", { name: "Save" }).evaluate((button) => {
      const canvas = document
        .createElement("canvas")
        .getContext("2d", { willReadFrequently: true });
      const paint = (color: string) => {
        if (!canvas) throw new Error("no canvas");
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
      };
      const luminance = (rgb: number[]) => {
        const [r = 0, g = 0, b = 0] = rgb.map((value) =>
          value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
        );
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
      };
      const { color, backgroundColor, borderRadius } = getComputedStyle(button);
      const ground = paint(backgroundColor);
      const [low = 0, high = 0] = [luminance(paint(color)), luminance(ground)].sort(
        (a, b) => a - b,
      );
      return { ground: ground.join(), contrast: high / low, borderRadius };
    });

  it("holds in light and dark, and every text on it is readable", async () => {
    const { page, close } = await open();
    const look = (fields: object) => service.call("POST", `/config?shop=${SHOP}`, { body: fields });
    const client = await newClient(service, { client_name: "Trail Planner" });
    const noBackground = { brand_background: null };
    // Yellow, a middle grey and the same as the background: where a fixed text colour would fail.
    for (const [ground, fields] of [
      ["255,212,0", { brand_color: "#FFD400", brand_corner_radius: 0, ...noBackground }],
      ["119,119,119", { brand_color: "#777777", brand_background: "#8a6fb0" }],
      ["16,24,32", { brand_color: "#101820", brand_background: "#101820" }],
    ] as const) {
      expect((await look(fields)).status).toBe(200);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        // Another address: the browser keeps a page for five minutes.
        await page.goto(pageUrl(service, "dashboard", `&brand=${ground}-${colorScheme}`));
        await page.locator("#crm-agents").waitFor();
        const button = await primaryButton(page);
        expect(button).toMatchObject({ ground, borderRadius: "0px" });
        expect(button.contrast).toBeGreaterThanOrEqual(4.5);
      }
      await expectHealthyPage(page);
      await page.goto(service.url + authorizePath(client, pkce().challenge));
      await expectHealthyPage(page);
      await page.goBack();
      await page.locator("#crm-agents").waitFor();
    }
    // A theme's own colour comes first, also with its text left open and on a dark device.
    await page.evaluate(() => {
      document.documentElement.style.setProperty("--crm-strong", "#fde68a");
      document.documentElement.style.setProperty("--crm-ground", "#ffffff");
    });
    const themed = await primaryButton(page);
    expect(themed.ground).toBe("253,230,138");
    expect(themed.contrast).toBeGreaterThanOrEqual(4.5);
    await expectHealthyPage(page);
    await look({ brand_color: null, brand_corner_radius: null, ...noBackground });
    await close();
  });

  it("takes no value that could leave its style", async () => {
    for (const fields of [
      { brand_color: "red;}*{display:none" },
      { brand_background: "#12345" },
      { brand_corner_radius: 999 },
      { brand_font: "x;}</style><script>" },
    ])
      expect((await service.call("POST", `/config?shop=${SHOP}`, { body: fields })).status).toBe(
        400,
      );
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
    await page.getByLabel("Picture address").fill("javascript:alert(1)");
    await page.keyboard.press("Enter");
    await page.getByText("This value isn't valid.").waitFor();
    expect(await page.getByLabel("Picture address").getAttribute("aria-invalid")).toBe("true");
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
    expect(await page.getByRole("row").count()).toBe(0);
    await page.getByText("History of your consents").click();
    await page.getByRole("row", { name: /News and offers Declined Privacy page/ }).waitFor();
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

  it("of a form is withdrawn in the history, with the form's tag", async () => {
    const say = (path: string, body: object) =>
      service.call("POST", `${path}?shop=${SHOP}`, { key: shopper.token, body });
    await say("/ucp/tags", { add: ["analytics_partners_subscribed"] });
    await say("/auth/consent-sync", {
      method: "analytics_partners_form",
      form_type: "analytics_partners",
    });
    const visit = await open();
    const { page } = visit;
    await page.getByText("History of your consents").click();
    await page.getByRole("button", { name: /^Withdraw: / }).click();
    await page.getByRole("row", { name: /partners Withdrawn/i }).waitFor();
    expect(await page.getByRole("button", { name: /^Withdraw: / }).count()).toBe(0);
    const { json } = await service.call("GET", `/ucp/consent-history?limit=1`, {
      key: shopper.token,
    });
    expect(json.records[0]).toMatchObject({
      consent_type: "analytics_partners",
      action: "revoked",
      method: "dashboard",
    });
    expect(
      await service.database.query(
        `SELECT 1 FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
         WHERE m.user_id = $1 AND t.slug = 'analytics_partners_subscribed'`,
        [shopper.id],
      ),
    ).toEqual([]);
    await expectHealthyPage(page);
    noErrors(visit);
    await visit.close();
  });

  it("the history has pages, and downloads completely and by receipt", async () => {
    for (let times = 0; times < 6; times += 1)
      for (const consent_cookie of [true, false])
        await consent(service, shopper, { consent_cookie });
    const { page, close } = await open();
    await page.getByText("History of your consents").click();
    const rows = page.locator("#crm-consents tbody tr");
    await rows.nth(9).waitFor();
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
  it("that the shopper may choose are checkboxes; the store's own and subscriptions are not", async () => {
    await service.call("POST", `/admin/init-tag-system?shop=${SHOP}&step=backend`);
    await service.call("POST", `/admin/tags/assign?shop=${SHOP}`, {
      body: { user_id: shopper.id, email: shopper.email, add: ["VIP"], remove: [] },
    });
    const { page, close } = await open();
    await settled(page);
    for (const name of ["VIP", "Email Subscribed", "Email Unsubscribed", "SMS Subscribed"])
      expect([name, await page.getByRole("checkbox", { name }).count()]).toEqual([name, 0]);
    await page.getByRole("checkbox", { name: "Campaign" }).check();
    await page.getByText("Saved.").waitFor();
    const mine = async () =>
      (await service.call("GET", "/tags/mine", { key: shopper.token })).json.tags.map(
        ({ slug }: any) => slug,
      );
    expect(await mine()).toContain("campaign");
    await page.reload();
    await settled(page);
    expect(await page.getByRole("checkbox", { name: "Campaign" }).isChecked()).toBe(true);
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
      createdAt: daysAgo(20),
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
