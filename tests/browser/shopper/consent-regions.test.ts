// Where a visitor is asked, what holds elsewhere, and how our choice and the storefront's own
// record follow each other: with a simulated privacy API as strict as the platform's.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  REGION_PRESETS,
  type ConsentRegions,
} from "../../../app/domain/tenants/consent-regions.ts";
import { writeLoaderMetafield } from "../../../app/domain/tenants/storefront/loader-metafield.ts";
import { openBrowser } from "../../support/browser/browser.ts";
import {
  keptChoice,
  openStore,
  recordedChoice,
  type StoreVisit,
} from "../../support/browser/store-visit.ts";
import { startConsentService, type ConsentService } from "../../support/consent.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";
import { installStore } from "../../support/storefront/synced-store.ts";

const TAG = "https://www.googletagmanager.com/gtag/js?id=G-TEST1";
const SALE_LINK = "Do not sell or share my personal information";
/** In Japan, where the platform does not ask, this merchant asks. */
const OWN_RULES: ConsentRegions = {
  ...REGION_PRESETS.recommended,
  exceptions: [{ region: "JP", mode: "opt_in" }],
};
let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
  await service.addTenant(SHOP, { consent_policy_version: "2026-11" });
  await installStore(service, OTHER_SHOP, { consent_regions: OWN_RULES });
  await writeLoaderMetafield(service.ctx, OTHER_SHOP);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const enter = async (options: Parameters<typeof openStore>[2] = {}) => {
  visit = await openStore(browser, service, options);
  // A choice that is adopted while the page loads is sent then: the network is not idle.
  await visit.open("/", "load");
};
const reload = () => visit.page.reload({ waitUntil: "load" });
const recorded = () => recordedChoice(service, visit);

it("a page that comes back from the back/forward cache stores nothing before a choice", async () => {
  await enter({ region: "JP13" });
  await visit.settled();
  await visit.page.evaluate(() =>
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })),
  );
  expect(await visit.page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  await visit.close();
});

describe("a visitor of a region where nobody is asked, after the policy version changed", () => {
  const OLD = { cookie: true, marketing: false, version: "2025-01" };

  it.each([
    ["opted out of the sale of data only", { marketing: false, version: "2025-01" }],
    ["made a choice in the preferences", OLD],
  ])("who %s is not asked", async (_, choice) => {
    await enter({ region: "USCA" });
    await visit.settled();
    await visit.page.evaluate((flags) => (window as any)._crmConsent.choose(flags), {
      cookie: undefined,
      ...choice,
      version: undefined,
    });
    await visit.page.evaluate(() => {
      const kept = JSON.parse(localStorage.crm_consent as string) as object;
      localStorage.crm_consent = JSON.stringify({ ...kept, version: "2025-01" });
    });
    await reload();
    await visit.settled();
    expect(await visit.banner().count()).toBe(0);
    await visit.close();
  });

  it("who chose before the platform's API was there, on a page that was left before, is not asked", async () => {
    visit = await openStore(browser, service, { region: "USCA", trouble: "slow" });
    const answer = async () => {
      await visit.page.waitForFunction("window.sandboxPrivacyAnswer");
      await visit.page.evaluate("window.sandboxPrivacyAnswer()");
    };
    await visit.open("/", "load");
    await visit.page.evaluate(() => {
      (window as any)._crmConsent.choose({ cookie: true, marketing: false });
    });
    await reload();
    await answer();
    await visit.page.evaluate(() => {
      const kept = JSON.parse(localStorage.crm_consent as string) as object;
      localStorage.crm_consent = JSON.stringify({ ...kept, version: "2025-01" });
    });
    await reload();
    await answer();
    await visit.settled();
    expect(await visit.banner().count()).toBe(0);
    await visit.close();
  });

  it("is not asked by the merchant's own rule either", async () => {
    await enter({
      shop: OTHER_SHOP,
      metafields: service.sandbox.storefront.appMetafields(OTHER_SHOP),
      region: "USTX",
      kept: { crm_consent: OLD, sandbox_privacy: { analytics: true, marketing: false } },
    });
    await visit.settled();
    expect(await visit.banner().count()).toBe(0);
    await visit.close();
  });

  it("is asked again where people are asked", async () => {
    await enter({
      kept: { crm_consent: OLD, sandbox_privacy: { analytics: true, marketing: false } },
    });
    await visit.banner().waitFor();
    await visit.close();
  });
});

describe("a visitor without a choice", () => {
  it("in the EEA is asked, and nothing is granted or stored before an answer", async () => {
    await enter();
    await visit.banner().waitFor();
    expect([await visit.updates(), visit.foreign, visit.posts(), visit.errors]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect(await visit.button(SALE_LINK).count()).toBe(0);
    expect(await visit.page.evaluate(() => localStorage.length)).toBe(0);
    await visit.close();
  });

  it("in California is not asked; the link about the sale of data opts out at both sides, and is recorded", async () => {
    await enter({ region: "USCA" });
    await visit.button(SALE_LINK).waitFor();
    expect([
      await visit.banner().count(),
      await visit.updates(),
      visit.foreign,
      visit.posts(),
    ]).toEqual([0, [["granted", "granted"]], [TAG], []]);
    await visit.button(SALE_LINK).click();
    expect(await recorded()).toEqual([["marketing", "revoked", "sale-opt-out"]]);
    expect(await visit.privacyCalls()).toEqual([{ marketing: false, sale_of_data: false }]);
    expect((await visit.layer()).find(({ event }) => event === "consent_update")).toMatchObject({
      consent_cookie: "granted",
      consent_marketing: "denied",
    });
    expect((await visit.updates()).at(-1)).toEqual(["granted", "denied"]);
    expect(await visit.button(SALE_LINK).count()).toBe(0);
    await reload();
    await visit.settled();
    await eventually("what holds", async () => (await visit.updates()).at(-1)?.[0] === "granted");
    // What the visitor did not decide is never denied on the way.
    expect((await visit.updates()).map(([cookie]) => cookie)).not.toContain("denied");
    expect((await visit.updates()).at(-1)).toEqual(["granted", "denied"]);
    expect([
      await visit.button(SALE_LINK).count(),
      await visit.banner().count(),
      visit.errors,
    ]).toEqual([0, 0, []]);
    await visit.close();
  });

  it("in California with Global Privacy Control has opted out already", async () => {
    await enter({ region: "USCA", gpc: true });
    await visit.page.waitForFunction("window.seenByTag");
    expect([
      await visit.updates(),
      await visit.button(SALE_LINK).count(),
      await visit.banner().count(),
    ]).toEqual([[["granted", "denied"]], 0, 0]);
    await visit.close();
  });

  it("elsewhere is not asked and gets no link; nothing is recorded as a consent", async () => {
    await enter({ region: "JP13" });
    await visit.page.waitForFunction("window.seenByTag");
    expect([
      await visit.updates(),
      await visit.banner().count(),
      await visit.button(SALE_LINK).count(),
    ]).toEqual([[["granted", "granted"]], 0, 0]);
    expect([visit.posts(), await keptChoice(visit.page)]).toEqual([[], null]);
    await visit.close();
  });

  it.each(["missing", "throws", "error"] as const)(
    "is asked where the platform's API is: %s",
    async (trouble) => {
      await enter({ region: "JP13", trouble });
      await visit.banner().waitFor();
      await visit.button("Reject all").click();
      expect(await recorded()).toHaveLength(2);
      expect([await visit.updates(), visit.foreign, visit.errors]).toEqual([
        [["denied", "denied"]],
        [],
        [],
      ]);
      await visit.close();
    },
  );

  it("is asked after a second where the API is slow, and no longer when it says that nobody is", async () => {
    visit = await openStore(browser, service, { region: "JP13", trouble: "slow" });
    await visit.page.clock.install();
    await visit.open();
    expect(await visit.banner().count()).toBe(0);
    await visit.page.clock.runFor(1_000);
    await visit.banner().waitFor();
    await visit.page.evaluate("window.sandboxPrivacyAnswer()");
    expect(await visit.banner().count()).toBe(0);
    await visit.close();
  });

  it("who answers before a slow API is there overrules its older record", async () => {
    const kept = { sandbox_privacy: { analytics: true, marketing: true } };
    visit = await openStore(browser, service, { trouble: "slow", kept });
    await visit.page.clock.install();
    await visit.open();
    await visit.page.clock.runFor(1_000);
    await visit.button("Reject all").click();
    await visit.page.evaluate("window.sandboxPrivacyAnswer()");
    expect(await keptChoice(visit.page)).toMatchObject({ cookie: false, marketing: false });
    expect(await visit.privacyCalls()).toMatchObject([{ analytics: false, marketing: false }]);
    await visit.close();
  });
});

describe("the storefront's record", () => {
  it("of an earlier choice is where ours starts: no question, one record, nothing reported back", async () => {
    await enter({ kept: { sandbox_privacy: { analytics: true, marketing: false } } });
    expect(await recorded()).toEqual([
      ["cookie", "granted", "storefront"],
      ["marketing", "revoked", "storefront"],
    ]);
    expect(await visit.banner().count()).toBe(0);
    await reload();
    await visit.settled();
    expect([visit.posts().length, await visit.privacyCalls(), visit.errors]).toEqual([1, [], []]);
    await visit.close();
  });

  it("is followed once where the browser stores nothing of ours", async () => {
    visit = await openStore(browser, service, {
      kept: { sandbox_privacy: { analytics: true, marketing: true } },
    });
    await visit.page.addInitScript(() => {
      const real = localStorage;
      const full = new Proxy(real, {
        set: () => {
          throw new Error("full");
        },
        get: (_, name) => {
          const value = Reflect.get(real, name) as unknown;
          return typeof value === "function" ? (value.bind(real) as unknown) : value;
        },
      });
      Object.defineProperty(window, "localStorage", { value: full });
    });
    await visit.open("/", "load");
    expect(await recorded()).toHaveLength(2);
    expect([visit.posts().length, await visit.privacyCalls(), visit.errors]).toEqual([1, [], []]);
    await visit.close();
  });

  it("follows a browser with Global Privacy Control, which refuses what the record grants", async () => {
    await enter({ gpc: true, kept: { sandbox_privacy: { analytics: true, marketing: true } } });
    expect(await recorded()).toEqual([
      ["cookie", "granted", "storefront"],
      ["marketing", "revoked", "storefront"],
    ]);
    expect(await visit.privacyCalls()).toEqual([
      { analytics: true, preferences: true, marketing: false, sale_of_data: false },
    ]);
    await reload();
    await visit.settled();
    expect([visit.posts().length, await visit.privacyCalls()]).toEqual([1, []]);
    await visit.close();
  });

  it("changed elsewhere wins, and one that missed our choice gets it again", async () => {
    await enter();
    await visit.button("Accept all").click();
    await recorded();
    const change = (consent: Record<string, boolean>) =>
      visit.page.evaluate(
        (text) => localStorage.setItem("sandbox_privacy", text),
        JSON.stringify(consent),
      );
    // In the checkout, where none of our scripts run.
    await change({ analytics: false, marketing: false, preferences: false, sale_of_data: false });
    await reload();
    await visit.settled();
    await eventually("the adopted choice", async () => {
      const kept = await keptChoice(visit.page);
      return kept?.cookie === false && kept.marketing === false;
    });
    expect(await visit.privacyCalls()).toEqual([]);
    // The platform's cookies were cleared.
    await change({});
    await reload();
    const calls = await eventually("the platform", async () => {
      const found = await visit.privacyCalls();
      return found.length > 0 && found;
    });
    expect(calls).toMatchObject([{ analytics: false, marketing: false }]);
    await visit.close();
  });
});

describe("a store with region rules of its own", () => {
  const own = (region: string) =>
    enter({
      shop: OTHER_SHOP,
      region,
      metafields: service.sandbox.storefront.appMetafields(OTHER_SHOP),
    });

  it("asks where its rule says so, also where the platform asks nobody", async () => {
    await own("JP13");
    await visit.banner().waitFor();
    expect(visit.foreign).toEqual([]);
    await visit.close();
  });

  it("gives tags a default per region, and the link to states that the platform does not name", async () => {
    await own("USOR");
    await visit.button(SALE_LINK).waitFor();
    const defaults = (await visit.layer())
      .filter(({ command }) => command?.[1] === "default")
      .map(({ command: [, , { ad_storage: ads, region }] }) => [ads, region]);
    expect(defaults).toEqual([
      ["granted", undefined],
      ["denied", expect.arrayContaining(["DE", "GB", "CH", "BR", "CA", "JP"])],
      ["granted", expect.arrayContaining(["US-CA", "US-OR"])],
    ]);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });
});

describe("the look of the banner", () => {
  const ground = () => visit.banner().evaluate((one) => getComputedStyle(one).backgroundColor);
  const dark = { context: { colorScheme: "dark" as const } };

  it("keeps the merchant's colours in dark mode", async () => {
    await enter({
      ...dark,
      head: "<style>:root{color-scheme:light dark;--crm-ground:#fff4e0;--crm-text:#221100}</style>",
    });
    await visit.banner().waitFor();
    expect(await ground()).toBe("rgb(255, 244, 224)");
    await visit.close();
  });

  it.each([
    ["dark", "light dark", "rgb(26, 28, 29)"],
    ["light", "normal", "rgb(255, 255, 255)"],
  ])("is %s in a dark system where the theme's color-scheme is `%s`", async (_, scheme, colour) => {
    await enter({ ...dark, head: `<style>:root{color-scheme:${scheme}}</style>` });
    await visit.banner().waitFor();
    expect(await ground()).toBe(colour);
    await visit.close();
  });

  it("after an answer the focus is on the link that opens the choices again, and a confirmation is visible", async () => {
    await enter();
    await visit.button("Accept all").focus();
    await visit.page.keyboard.press("Enter");
    const status = visit.page.getByRole("status");
    await status.getByText("Your choice is saved.").waitFor();
    expect(await visit.page.evaluate(() => document.activeElement?.textContent)).toBe(
      "Privacy choices",
    );
    const box = await status.boundingBox();
    expect((box?.y ?? 9_999) + (box?.height ?? 0)).toBeLessThanOrEqual(
      visit.page.viewportSize()?.height ?? 0,
    );
    await recorded();
    await visit.close();
  });
});
