// The loader as an asset of the theme, with the store's values in the page; and the theme editor.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeLoaderMetafield } from "../../../app/domain/tenants/storefront/loader-metafield.ts";
import { openBrowser } from "../../support/browser/browser.ts";
import { keptChoice, openStore, type StoreVisit } from "../../support/browser/store-visit.ts";
import {
  logOf,
  logOfVisitor,
  signUp,
  startConsentService,
  type ConsentService,
} from "../../support/consent.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";
import { installStore } from "../../support/storefront/synced-store.ts";

const LOADER = "/embed/stack-loader.js";
let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
  await installStore(service, SHOP, { consent_policy_version: "2026-11" });
  await installStore(service, OTHER_SHOP, {
    consent_mode: "advanced",
    analytics_measurement_id: "G-OTHER",
  });
  for (const shop of [SHOP, OTHER_SHOP]) await writeLoaderMetafield(service.ctx, shop);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const metafields = (shop = SHOP) => service.sandbox.storefront.appMetafields(shop);
const enter = async (options: Parameters<typeof openStore>[2] = {}) => {
  visit = await openStore(browser, service, {
    metafields: metafields(options.shop),
    ...options,
  });
  await visit.open();
  return visit;
};
const press = (name: string) => visit.page.getByRole("button", { name, exact: true }).click();
const paths = () => visit.sent.map(({ path }) => path);
const posted = () =>
  eventually("the choice", () =>
    visit.sent.find(({ path, status }) => path === "/auth/consent-sync" && status === 200),
  );

describe("a store with the metafield", () => {
  it("gets its loader without a request to the service, and the consent defaults come first", async () => {
    await enter({
      head: "<script>window.firstTag = window.dataLayer.length; window.dataLayer.push({event:'a theme tag'})</script>",
    });
    await visit.banner().waitFor();
    expect(paths()).not.toContain(LOADER);
    const [first] = await visit.layer();
    expect(first.command.slice(0, 2)).toEqual(["consent", "default"]);
    expect(await visit.page.evaluate("window.firstTag")).toBe(1);
    expect([visit.foreign, visit.errors]).toEqual([[], []]);
    await visit.close();
  });

  it.each(["compliance", "cookies"] as const)(
    "keeps the room of the block %s: nothing below it moves while a shopper reads, and without script nothing is kept",
    async (name) => {
      await enter({
        blocks: ["consent", name, "footer"],
        head: "<script>window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift += value))).observe({ type: 'layout-shift', buffered: true })</script>",
      });
      await visit.page.locator(`[data-crm-embed=${name}] [data-crm-root]`).waitFor();
      await visit.banner().waitFor();
      // The observer hears of a shift with the frame after it.
      const shift = await visit.page.evaluate<number>(
        "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(window.shift)))))",
      );
      expect(shift).toBeLessThan(0.02);
      await visit.close();
      await enter({ blocks: ["consent", name], context: { javaScriptEnabled: false } });
      const place = await visit.page.locator(`[data-crm-embed=${name}]`).boundingBox();
      expect(place?.height).toBeLessThan(100);
      await visit.close();
    },
  );

  it("records a choice with the store's policy version, through the proxy", async () => {
    await enter({ locale: "es" });
    await visit.page.getByRole("button", { name: "Aceptar todo", exact: true }).click();
    const { body } = await posted();
    expect(
      (await logOfVisitor(service, body.visitor_id)).map(
        ({ consent_type, action, consent_version }) => [consent_type, action, consent_version],
      ),
    ).toEqual([
      ["cookie", "granted", "2026-11"],
      ["marketing", "granted", "2026-11"],
    ]);
    expect(visit.foreign).toEqual(["https://www.googletagmanager.com/gtag/js?id=G-TEST1"]);
    await visit.page.reload({ waitUntil: "networkidle" });
    expect(await visit.banner().count()).toBe(0);
    await visit.close();
  });

  it("sends a signed-in shopper's choice to the service directly, with the session", async () => {
    const ada = await signUp(service);
    visit = await openStore(browser, service, { metafields: metafields() });
    await visit.page.addInitScript(
      (token) => sessionStorage.setItem("crm_session", token),
      ada.token,
    );
    await visit.open();
    await press("Reject all");
    await posted();
    expect(
      (await logOf(service, ada))
        .filter(({ method }) => method === "banner")
        .map((row) => [row.consent_type, row.action]),
    ).toEqual([
      ["cookie", "revoked"],
      ["marketing", "revoked"],
    ]);
    await visit.close();
  });

  it("has its own values: another store in advanced mode loads its own tag at once", async () => {
    await enter({ shop: OTHER_SHOP });
    await visit.page.waitForFunction("window.seenByTag");
    expect(visit.foreign).toEqual(["https://www.googletagmanager.com/gtag/js?id=G-OTHER"]);
    expect(paths()).not.toContain(LOADER);
    await visit.close();
  });
});

describe("a page whose picture does not arrive", () => {
  /** The page's text is there, and the clock stands still. */
  const enterUnfinished = async (kept: Record<string, unknown>) => {
    visit = await openStore(browser, service, {
      metafields: metafields(),
      body: '<img src="/never.png" alt="">',
      kept,
    });
    await visit.page.route("**/never.png", () => {});
    await visit.page.clock.install();
    const asked: string[] = [];
    visit.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await visit.page.goto(`https://${SHOP}/`, { waitUntil: "domcontentloaded" });
    await eventually("the picture to be asked for", () => asked.includes("/never.png"));
    return { scripts: () => asked.filter((path) => path.startsWith("/assets/")) };
  };

  it("comes before the embed's scripts for a new visitor, who is asked after three seconds at the latest", async () => {
    const { scripts } = await enterUnfinished({});
    expect(scripts()).toEqual([]);
    await visit.page.clock.runFor(3_000);
    await visit.banner().waitFor();
    expect(scripts().toSorted()).toEqual([
      "/assets/crm-bridge.js",
      "/assets/crm-choices.js",
      "/assets/crm-loader.js",
      "/assets/crm-theme.js",
    ]);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("does not delay the tag of a visitor who allowed it", async () => {
    await enterUnfinished({ crm_consent: { cookie: true, marketing: true, version: "2026-11" } });
    await visit.page.waitForFunction("window.seenByTag");
    expect(visit.foreign).toEqual(["https://www.googletagmanager.com/gtag/js?id=G-TEST1"]);
    await visit.close();
  });
});

it("a store without the metafield gets the loader through the proxy, and records its choices", async () => {
  await enter({ metafields: [] });
  expect(paths().filter((path) => path === LOADER)).toHaveLength(1);
  await press("Accept all");
  const { body } = await posted();
  expect(await logOfVisitor(service, body.visitor_id)).toHaveLength(2);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

it.each([
  ["with the metafield", () => metafields()],
  ["without the metafield", () => []],
])(
  "a theme %s whose merchant switched the banner off for another one has its privacy links and preferences, and asks nobody",
  async (_, valuesOf) => {
    await enter({
      metafields: valuesOf(),
      blocks: ["consent", "footer"],
      settings: { show_banner: false },
    });
    await visit.page.getByRole("link", { name: "Privacy choices" }).click();
    expect(await visit.banner().count()).toBe(0);
    await press("Reject all");
    const { body } = await posted();
    expect([body.method, await visit.banner().count()]).toEqual(["banner", 0]);
    expect([visit.counted, visit.errors]).toEqual([[], []]);
    await visit.close();
  },
);

describe.each([
  ["with the metafield", () => metafields()],
  ["without the metafield", () => []],
])("the theme editor, in a store %s", (_, valuesOf) => {
  it.each([
    ["Liquid", { isDesignMode: true }],
    ["the page's script", { isDesignMode: false }],
  ])("known by %s: always shows the banner, and a click records nothing", async (_, options) => {
    const kept = { crm_consent: { cookie: true, marketing: true, version: "2026-11" } };
    visit = await openStore(browser, service, { metafields: valuesOf(), kept, ...options });
    if (!options.isDesignMode) await visit.page.addInitScript("window.Shopify.designMode = true");
    await visit.open();
    for (const name of ["Reject all", "Accept all"]) {
      await visit.banner().waitFor();
      await press(name);
    }
    await visit.page.evaluate("document.dispatchEvent(new CustomEvent('visitorConsentCollected'))");
    expect(await visit.banner().isVisible()).toBe(true);
    expect(visit.posts()).toEqual([]);
    expect(visit.counted).toEqual([]);
    expect([await keptChoice(visit.page), await visit.privacyCalls(), visit.foreign]).toEqual([
      kept.crm_consent,
      [],
      [],
    ]);
    expect(await visit.page.evaluate(() => Object.keys(localStorage))).toEqual(["crm_consent"]);
    expect((await visit.layer()).map(({ command }) => command?.slice(0, 2))).toEqual([
      ["consent", "default"],
    ]);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });
});
