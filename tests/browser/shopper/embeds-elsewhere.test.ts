// The loader outside the theme: loaded from the service directly by a page of the store; and beside
// the storefront's own banner.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
  const choose = "window._crmConsent.choose({ cookie: true, marketing: false }, 'my-banner')";

  it("records its choices across origins for this browser", async () => {
    const { page, errors, close } = await enter();
    await page.evaluate(choose);
    const visitor = JSON.parse(
      await page.evaluate(() => localStorage.getItem("crm_visitor") as string),
    ) as string;
    const rows = await eventually("the rows of the choice", async () => {
      const found = await logOfVisitor(service, visitor);
      return found.length > 0 && found;
    });
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
