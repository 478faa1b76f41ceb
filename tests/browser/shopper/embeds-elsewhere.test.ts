// The loader outside the theme: loaded from the service directly by a page of the store; and beside
// the storefront's own banner.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customerPrivacyScript } from "../../../app/sandbox/storefront/theme/customer-privacy.ts";
import { openBrowser } from "../../support/browser/browser.ts";
import {
  logOf,
  logOfVisitor,
  signUp,
  startConsentService,
  type ConsentService,
} from "../../support/consent.ts";
import { eventually, SHOP } from "../../support/service.ts";
import { keptChoice, openStore } from "../../support/browser/store-visit.ts";

let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

describe("a page that loads the script from the service directly", () => {
  const enter = async (token = "") => {
    const visit = await browser.visit([service.url]);
    const body = `<!doctype html><html lang="en"><title>A store</title><link rel="icon" href="data:,"><script>${token && `sessionStorage.setItem("crm_session", ${JSON.stringify(token)})`}</script><script src="${service.url}/embed/stack-loader.js?shop=${SHOP}"></script><h1>Things</h1>`;
    await visit.page.route(`https://${SHOP}/**`, (route) =>
      route.fulfill({ contentType: "text/html", body }),
    );
    // The service is local, and browsers block requests from public pages to local addresses.
    await visit.page
      .context()
      .grantPermissions(["local-network-access"], { origin: `https://${SHOP}` });
    await visit.page.goto(`https://${SHOP}/`);
    return visit;
  };
  const rowsOfBrowser = async (page: Page) => {
    const visitor = JSON.parse(
      await page.evaluate(() => localStorage.getItem("crm_visitor") as string),
    ) as string;
    return eventually("the rows of the choice", async () => {
      const found = await logOfVisitor(service, visitor);
      return found.length > 0 && found;
    });
  };
  const choose = "window._crmConsent.choose({ cookie: true, marketing: false }, 'my-banner')";

  it("records its choices across origins for this browser", async () => {
    const { page, errors, close } = await enter();
    await page.evaluate(choose);
    const rows = await rowsOfBrowser(page);
    expect(rows.map(({ consent_type, action, method }) => [consent_type, action, method])).toEqual([
      ["cookie", "granted", "my-banner"],
      ["marketing", "revoked", "my-banner"],
    ]);
    // The tag is requested, and its host is not found.
    expect(errors.filter((error) => !error.includes("ERR_NAME_NOT_RESOLVED"))).toEqual([]);
    await close();
  });

  it("acts as the shopper of the tab's token", async () => {
    const ada = await signUp(service);
    const { page, close } = await enter(ada.token);
    await page.evaluate(choose);
    await eventually("the row on the account", async () =>
      (await logOf(service, ada)).some(
        ({ consent_type, method }) => consent_type === "cookie" && method === "my-banner",
      ),
    );
    await close();
  });

  it("records its choice for the browser when the session of the tab's token has ended", async () => {
    const ada = await signUp(service);
    await service.call("POST", "/auth/logout", { key: ada.token, body: {} });
    const { page, close } = await enter(ada.token);
    await page.evaluate(choose);
    const rows = await rowsOfBrowser(page);
    expect(rows.map(({ consent_type, action }) => [consent_type, action])).toEqual([
      ["cookie", "granted"],
      ["marketing", "revoked"],
    ]);
    await close();
  });
});

describe("the snippet of docs/headless.md, on a storefront of the merchant's own", () => {
  const ORIGIN = "https://shop.kestrel.example";
  const PRIVACY_API =
    "https://cdn.shopify.com/shopifycloud/consent-tracking-api/v0.1/consent-tracking-api.js";
  const [snippet = "", banner = ""] = [
    ...readFileSync("docs/headless.md", "utf8").matchAll(/```html\n(.*?)```/gs),
  ].map(([, code]) => code ?? "");
  const PLACE = {
    headlessStorefront: true,
    checkoutRootDomain: "checkout.kestrel.example",
    storefrontRootDomain: ".kestrel.example",
    storefrontAccessToken: "0123456789abcdef0123456789abcdef",
  };
  const REPLACED: [string, string][] = [
    ["CHECKOUT.EXAMPLE.COM", PLACE.checkoutRootDomain],
    [".EXAMPLE.COM", PLACE.storefrontRootDomain],
    ["PUBLIC_STOREFRONT_TOKEN", PLACE.storefrontAccessToken],
    ["STORE.myshopify.com", SHOP],
  ];

  const enter = async (hasGpc = false) => {
    const visit = await browser.visit([service.url]);
    const { page } = visit;
    const filled = [...REPLACED, ["https://SERVICE.EXAMPLE", service.url] as const].reduce(
      (text, [name, value]) => text.replace(name, value),
      snippet,
    );
    expect(filled).not.toMatch(/EXAMPLE|STORE/);
    await page.route(`${ORIGIN}/**`, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<!doctype html><html lang="en"><head><title>A storefront</title><link rel="icon" href="data:,">${filled}</head><body><h1>Things</h1>${banner}</body></html>`,
      }),
    );
    await page.route(PRIVACY_API, (route) =>
      route.fulfill({
        contentType: "text/javascript",
        body: customerPrivacyScript({ region: "DEBE", policies: [], isHeadless: true }),
      }),
    );
    await page.context().grantPermissions(["local-network-access"], { origin: ORIGIN });
    if (hasGpc)
      await page.addInitScript(
        "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true })",
      );
    await page.goto(ORIGIN);
    await page.waitForFunction("window._crmConsent && window.sandboxPrivacyCalls");
    const press = async (name: string) => {
      await page.getByRole("button", { name }).click();
      return page.evaluate("window.sandboxPrivacyCalls.at(-1)");
    };
    return { ...visit, press };
  };
  beforeAll(() => service.addTenant(SHOP, { allowed_origins: [ORIGIN] }));

  it("denies first, gives each choice to the platform with the storefront's values, and records it", async () => {
    const { page, errors, press, close } = await enter();
    expect(await page.evaluate("[...window.dataLayer[0]]")).toMatchObject([
      "consent",
      "default",
      { ad_storage: "denied", analytics_storage: "denied" },
    ]);
    expect(await press("Accept all")).toEqual({
      ...PLACE,
      analytics: true,
      preferences: true,
      marketing: true,
      sale_of_data: true,
    });
    expect(await press("Do not sell")).toMatchObject({ marketing: false, sale_of_data: false });
    expect(await press("Reject all")).toMatchObject({ ...PLACE, analytics: false });
    const visitor = JSON.parse(
      await page.evaluate(() => localStorage.getItem("crm_visitor") as string),
    ) as string;
    const rows = await eventually("the rows of three choices", async () => {
      const found = await logOfVisitor(service, visitor);
      return found.length === 4 && found;
    });
    expect(rows.map(({ consent_type, action, method }) => [consent_type, action, method])).toEqual([
      ["cookie", "granted", "my-banner"],
      ["marketing", "granted", "my-banner"],
      ["marketing", "revoked", "sale-opt-out"],
      ["cookie", "revoked", "my-banner"],
    ]);
    expect(errors.filter((error) => !error.includes("ERR_NAME_NOT_RESOLVED"))).toEqual([]);
    await close();
  });

  it("grants no marketing where the browser sends Global Privacy Control, and gives a stored choice again", async () => {
    const { page, press, close } = await enter(true);
    expect(await press("Accept all")).toMatchObject({ analytics: true, marketing: false });
    await page.reload();
    await page.waitForFunction("window.sandboxPrivacyCalls?.length > 0");
    expect(await page.evaluate("window.sandboxPrivacyCalls")).toMatchObject([
      { ...PLACE, analytics: true, marketing: false, sale_of_data: false },
    ]);
    await close();
  });
});

describe("the storefront's own banner", () => {
  const says = (consent: Record<string, boolean>) =>
    `new Promise((done) => Shopify.customerPrivacy.setTrackingConsent(${JSON.stringify(consent)}, done))`;

  it("an event before a choice gives no consent, whatever the region's default is", async () => {
    const visit = await openStore(browser, service);
    await visit.open();
    await visit.page.evaluate("document.dispatchEvent(new CustomEvent('visitorConsentCollected'))");
    expect([
      await keptChoice(visit.page),
      visit.foreign,
      visit.sent.filter(({ method }) => method === "POST"),
    ]).toEqual([null, [], []]);
    await visit.close();
  });

  it("a choice made there is recorded once and not reported back", async () => {
    const visit = await openStore(browser, service);
    await visit.open();
    const consent = { analytics: true, marketing: false };
    await visit.page.evaluate(says(consent));
    await visit.page.evaluate(says(consent));
    const sent = await eventually("the choice", () =>
      visit.sent.find(({ path, status }) => path === "/auth/consent-sync" && status === 200),
    );
    expect(
      (await logOfVisitor(service, sent.body.visitor_id)).map(
        ({ consent_type, action, method }) => [consent_type, action, method],
      ),
    ).toEqual([
      ["cookie", "granted", "storefront"],
      ["marketing", "revoked", "storefront"],
    ]);
    expect((await visit.layer()).filter(({ event }) => event === "consent_update")).toHaveLength(1);
    expect(await visit.privacyCalls()).toEqual([consent, consent]);
    await visit.close();
  });
});
