// A choice ends: what its browser does then, and what the storefront's own record changes about it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeLoaderMetafield } from "../../../../app/domain/tenants/storefront/loader-metafield.ts";
import { openBrowser } from "../../../support/browser/browser.ts";
import {
  keptChoice,
  openStore,
  recordedChoice,
  type StoreVisit,
} from "../../../support/browser/store-visit.ts";
import { startConsentService, type ConsentService } from "../../../support/consent.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../../support/service.ts";
import { installStore } from "../../../support/storefront/synced-store.ts";

const SALE_LINK = "Do not sell or share my personal information";
const BOTH = { cookie: true, marketing: true, version: "2026-11" };
const monthsAgo = (months: number) => {
  const at = new Date();
  at.setMonth(at.getMonth() - months);
  return at.toISOString();
};
const untouched = async () => [
  await visit.updates(),
  visit.foreign,
  visit.posts(),
  await visit.privacyCalls(),
  visit.errors,
];
const NOTHING = [[], [], [], [], []];
let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
  await service.addTenant(SHOP, { consent_policy_version: "2026-11" });
  await installStore(service, OTHER_SHOP, { consent_lifetime_months: 6 });
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
const recorded = () => recordedChoice(service, visit);

describe("a choice of long ago", () => {
  it("is asked for again: until the answer nothing is granted, recorded or reported to the storefront", async () => {
    const crm_consent = { ...BOTH, at: "2022-03-01T09:00:00.000Z" };
    await enter({ kept: { crm_consent, crm_platform: "yes,yes,yes" } });
    await visit.banner().waitFor();
    expect(await untouched()).toEqual(NOTHING);
    expect(await keptChoice(visit.page)).toEqual(crm_consent);
    await visit.button("Reject all").click();
    expect(await recorded()).toEqual([
      ["cookie", "revoked", "banner"],
      ["marketing", "revoked", "banner"],
    ]);
    const kept = await keptChoice(visit.page);
    expect(Date.parse(kept?.at as string)).toBeGreaterThan(Date.now() - 60_000);
    await visit.page.reload({ waitUntil: "load" });
    await visit.settled();
    expect(await visit.banner().count()).toBe(0);
    await visit.close();
  });

  it("is asked for again where the storefront still has the record of it", async () => {
    await enter({
      kept: {
        crm_consent: { ...BOTH, at: monthsAgo(13) },
        crm_platform: "yes,yes,yes",
        sandbox_privacy: { analytics: true, marketing: true, sale_of_data: true },
      },
    });
    await visit.banner().waitFor();
    expect(await untouched()).toEqual(NOTHING);
    await visit.close();
  });

  it("gives way to a record that the storefront has had since", async () => {
    await enter({
      kept: {
        crm_consent: { ...BOTH, at: monthsAgo(13) },
        crm_platform: "yes,yes,yes",
        sandbox_privacy: { analytics: true, marketing: false, sale_of_data: false },
      },
    });
    expect(await recorded()).toEqual([
      ["cookie", "granted", "storefront"],
      ["marketing", "revoked", "storefront"],
    ]);
    expect(await visit.banner().count()).toBe(0);
    await visit.close();
  });

  it("holds until then, also at a storefront whose record ended before", async () => {
    await enter({ kept: { crm_consent: { ...BOTH, at: monthsAgo(11) } } });
    await visit.settled();
    await visit.page.waitForFunction("window.seenByTag");
    const calls = await eventually("the platform", async () => {
      const found = await visit.privacyCalls();
      return found.length > 0 && found;
    });
    expect([await visit.updates(), await visit.banner().count(), calls]).toMatchObject([
      [["granted", "granted"]],
      0,
      [{ analytics: true, marketing: true }],
    ]);
    await visit.close();
  });

  it("is asked for again after six months, in a store that says so, and not before", async () => {
    const metafields = service.sandbox.storefront.appMetafields(OTHER_SHOP);
    const enterAfter = (months: number) => {
      const crm_consent = { cookie: true, marketing: true, at: monthsAgo(months) };
      return enter({ shop: OTHER_SHOP, metafields, kept: { crm_consent } });
    };
    await enterAfter(7);
    await visit.banner().waitFor();
    await visit.close();
    await enterAfter(5);
    await visit.page.waitForFunction("window.seenByTag");
    await visit.settled();
    expect(await visit.banner().count()).toBe(0);
    await visit.close();
  });

  it("ends as a grant and not as a refusal where nobody is asked", async () => {
    const at = monthsAgo(13);
    await enter({ region: "USCA", kept: { crm_consent: { marketing: false, at } } });
    await visit.page.waitForFunction("window.seenByTag");
    await visit.settled();
    expect([await visit.updates(), await visit.button(SALE_LINK).count(), visit.posts()]).toEqual([
      [["granted", "denied"]],
      0,
      [],
    ]);
    await visit.close();
  });

  it("keeps its refusal where nobody is asked, after an answer to the other question", async () => {
    await enter({
      region: "USCA",
      kept: {
        crm_consent: { cookie: false, marketing: true, at: monthsAgo(13) },
        crm_unasked: "USCA",
      },
    });
    await visit.button(SALE_LINK).click();
    expect(await recorded()).toEqual([["marketing", "revoked", "sale-opt-out"]]);
    expect((await visit.updates()).at(-1)).toEqual(["denied", "denied"]);
    await visit.page.reload({ waitUntil: "load" });
    await visit.settled();
    await eventually("the region's rule", async () => (await visit.updates()).length > 1);
    expect([(await visit.updates()).at(-1), await visit.banner().count()]).toEqual([
      ["denied", "denied"],
      0,
    ]);
    await visit.close();
  });

  it("is asked for again where people are asked, after an answer to one question", async () => {
    await enter({ kept: { crm_consent: { cookie: false, marketing: true, at: monthsAgo(13) } } });
    await visit.banner().waitFor();
    await visit.page.evaluate("_crmConsent.choose({ marketing: false })");
    await recorded();
    await visit.page.reload({ waitUntil: "load" });
    await visit.banner().waitFor();
    expect((await visit.updates()).flat()).not.toContain("granted");
    await visit.button("Accept all").click();
    expect((await visit.updates()).at(-1)).toEqual(["granted", "granted"]);
    await visit.page.reload({ waitUntil: "load" });
    await visit.settled();
    expect(await visit.banner().count()).toBe(0);
    await visit.close();
  });

  it.each([
    ["still to come", "2999-01-01T00:00:00.000Z"],
    ["unreadable", "long ago"],
    ["missing", undefined],
  ])("whose time is %s counts from this visit", async (_, at) => {
    await enter({ kept: { crm_consent: { ...BOTH, at } } });
    await visit.settled();
    const kept = await eventually("the time", async () => {
      const found = await keptChoice(visit.page);
      return found?.at !== at && found;
    });
    expect(kept).toMatchObject(BOTH);
    expect(Math.abs(Date.parse(kept.at as string) - Date.now())).toBeLessThan(60_000);
    expect([await visit.banner().count(), visit.posts(), visit.errors]).toEqual([0, [], []]);
    await visit.close();
  });
});
