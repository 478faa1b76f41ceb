// The consent banner on a store's page: what tags receive and when, and the record of a choice.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../support/browser/browser.ts";
import { logOfVisitor, startConsentService, type ConsentService } from "../../support/consent.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";
import { keptChoice, openStore, type StoreVisit } from "../../support/browser/store-visit.ts";

const DEFAULTS = {
  ad_storage: "denied",
  ad_user_data: "denied",
  ad_personalization: "denied",
  analytics_storage: "denied",
  personalization_storage: "denied",
  functionality_storage: "granted",
  security_storage: "granted",
  wait_for_update: 500,
};
const TAG_ADDRESS = "https://www.googletagmanager.com/gtag/js?id=G-TEST1";
const signals = (cookie: string, marketing: string) => ({
  analytics_storage: cookie,
  ad_storage: marketing,
  ad_user_data: marketing,
  ad_personalization: marketing,
});
let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;

beforeAll(async () => {
  [service, browser] = await Promise.all([
    startConsentService({ background: true }),
    openBrowser(),
  ]);
  await service.addTenant(SHOP, { consent_policy_version: "2026-11" });
  await service.addTenant(OTHER_SHOP, { consent_mode: "advanced" });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const enter = async (options: Parameters<typeof openStore>[2] = {}) => {
  visit = await openStore(browser, service, options);
  await visit.open();
  return visit;
};
const press = (name: string) => visit.page.getByRole("button", { name, exact: true }).click();
const answered = (path: string, count = 1) =>
  eventually(
    `${count} answers of ${path}`,
    () =>
      visit.sent.filter((one) => one.path === path && one.status === 200).length >= count &&
      visit.sent.filter((one) => one.path === path),
  );
const commands = async (name: string) =>
  (await visit.layer())
    .filter(({ command }) => command?.[0] === name)
    .map(({ command }) => command.slice(1));
const loads = () => visit.page.waitForFunction("window.seenByTag");
const seenByTag = (): Promise<any[]> => visit.page.evaluate("window.seenByTag");

describe("before a choice", () => {
  it("the first entry of the data layer is the consent default `denied`, before any other script of the page runs", async () => {
    await enter({
      head: "<script>window.firstTag = window.dataLayer.length; window.dataLayer.push({event:'a theme tag'})</script>",
    });
    const layer = await visit.layer();
    expect(layer[0]).toEqual({ command: ["consent", "default", DEFAULTS] });
    expect(await visit.page.evaluate("window.firstTag")).toBe(1);
    expect(await commands("consent")).toHaveLength(1);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("basic mode makes no third-party request and stores nothing in the browser", async () => {
    await enter();
    await visit.page.getByRole("region", { name: "Your privacy" }).waitFor();
    expect(visit.foreign).toEqual([]);
    expect(await visit.page.context().cookies()).toEqual([]);
    expect(await visit.page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([
      0, 0,
    ]);
    expect(visit.posts()).toEqual([]);
    // A count without anything that tells one visitor from another.
    expect(visit.counted.map(({ body }) => body as unknown)).toEqual([
      { step: "shown", version: 0, language: "en", device: "desktop", region: "DEBE" },
    ]);
    expect(visit.counted[0]?.headers).not.toHaveProperty("cookie");
    await visit.close();
  });

  it("advanced mode loads the tag, with every consent denied", async () => {
    await enter({ shop: OTHER_SHOP });
    await loads();
    expect(visit.foreign).toEqual([TAG_ADDRESS]);
    expect((await seenByTag()).map(({ command }) => command.slice(0, 2))).toEqual([
      ["consent", "default"],
      ["js", expect.anything()],
      ["config", "G-TEST1"],
    ]);
    expect(await visit.page.context().cookies()).toEqual([]);
    await visit.close();
  });

  it("a page without the theme's inline script gets the same defaults from the loader alone", async () => {
    await enter({
      blocks: ["footer"],
      head: '<script src="/apps/crm/embed/stack-loader.js"></script>',
    });
    expect((await visit.layer())[0]).toEqual({ command: ["consent", "default", DEFAULTS] });
    await visit.close();
  });
});

describe("accepting", () => {
  it("grants, then loads the tag, informs the storefront, and is in the audit log", async () => {
    await enter();
    await press("Accept all");
    await loads();
    expect(
      (await seenByTag())
        .filter(({ command }) => command)
        .map(({ command }) => command[0] + (command[0] === "consent" ? ` ${command[1]}` : "")),
    ).toEqual(["consent default", "consent update", "js", "config"]);
    expect(await commands("consent")).toEqual([
      ["default", DEFAULTS],
      ["update", signals("granted", "granted")],
    ]);
    expect((await visit.layer()).filter(({ event }) => event)).toEqual([
      {
        event: "consent_update",
        consent_tos: "denied",
        consent_privacy: "denied",
        consent_cookie: "granted",
        consent_marketing: "granted",
        consent_method: "banner",
      },
    ]);
    expect(await visit.privacyCalls()).toEqual([
      { analytics: true, preferences: true, marketing: true, sale_of_data: true },
    ]);
    expect(visit.foreign).toEqual([TAG_ADDRESS]);
    const body = (await answered("/auth/consent-sync"))[0]?.body;
    const rows = await logOfVisitor(service, body.visitor_id);
    expect(
      rows.map(({ consent_type, action, method, consent_version, consent_id, source_page }) => [
        consent_type,
        action,
        method,
        consent_version,
        consent_id,
        source_page,
      ]),
    ).toEqual(
      ["cookie", "marketing"].map((type) => [
        type,
        "granted",
        "banner",
        "2026-11",
        body.consent_id,
        `https://${SHOP}/`,
      ]),
    );
    expect(await keptChoice(visit.page)).toMatchObject({
      cookie: true,
      marketing: true,
      version: "2026-11",
    });
    await visit.close();
  });

  it("is stored: the next page grants before its tag is loaded, and shows no banner", async () => {
    await enter({
      kept: {
        crm_consent: {
          tos: true,
          privacy: true,
          cookie: true,
          marketing: false,
          version: "2026-11",
        },
      },
    });
    await loads();
    expect(await commands("consent")).toEqual([
      ["default", DEFAULTS],
      ["update", signals("granted", "denied")],
    ]);
    expect(await visit.page.getByRole("region", { name: "Your privacy" }).count()).toBe(0);
    await visit.close();
  });

  it("is requested again when the policy version changes", async () => {
    await enter({ kept: { crm_consent: { cookie: true, marketing: true, version: "2025-01" } } });
    await visit.page.getByRole("region", { name: "Your privacy" }).waitFor();
    await visit.close();
  });
});

describe("a damaged choice", () => {
  it.each([
    { cookie: "no", marketing: 0 },
    { cookie: "false" },
    { cookie: 1, marketing: 1 },
    { cookie: false, marketing: "granted" },
    { cookie: { yes: true }, version: "2026-11" },
    { version: "2026-11" },
    { cookie: null, marketing: "", version: "2026-11" },
    "true",
    [true],
    7,
  ])("is no choice: %j loads no tag, grants nothing, and is asked for again", async (kept) => {
    await enter({ kept: { crm_consent: kept } });
    await visit.page.getByRole("region", { name: "Your privacy" }).waitFor();
    expect(visit.foreign).toEqual([]);
    expect(
      (await commands("consent")).filter((command) =>
        JSON.stringify(command).includes('"granted"'),
      ),
    ).toEqual([["default", DEFAULTS]]);
    await press("Reject all");
    expect(await keptChoice(visit.page)).toMatchObject({ cookie: false, marketing: false });
    await visit.close();
  });
});

describe("refusing", () => {
  it("takes one click, like accepting; no tag is loaded, and the rejection is in the audit log", async () => {
    await enter();
    await press("Reject all");
    const body = (await answered("/auth/consent-sync"))[0]?.body;
    expect(
      (await logOfVisitor(service, body.visitor_id)).map(({ consent_type, action }) => [
        consent_type,
        action,
      ]),
    ).toEqual([
      ["cookie", "revoked"],
      ["marketing", "revoked"],
    ]);
    expect(await visit.page.getByRole("region", { name: "Your privacy" }).count()).toBe(0);
    expect(visit.foreign).toEqual([]);
    await visit.close();
  });

  it("takes one click later too, on every page", async () => {
    await enter({ kept: { crm_consent: { cookie: true, marketing: true, version: "2026-11" } } });
    await press("Withdraw consent");
    expect((await commands("consent")).at(-1)).toEqual(["update", signals("denied", "denied")]);
    await answered("/auth/consent-sync");
    expect(await keptChoice(visit.page)).toMatchObject({ cookie: false, marketing: false });
    expect(await visit.page.getByRole("button", { name: "Withdraw consent" }).count()).toBe(0);
    await visit.close();
  });
});

describe("a browser that sends Global Privacy Control", () => {
  it("overrides a stored marketing grant, and the analytics choice is kept", async () => {
    await enter({
      gpc: true,
      kept: { crm_consent: { cookie: true, marketing: true, version: "2026-11" } },
    });
    await loads();
    expect(await commands("consent")).toEqual([
      ["default", DEFAULTS],
      ["update", signals("granted", "denied")],
    ]);
    await visit.close();
  });

  it("gives no marketing consent even with Accept all, and the preferences explain it", async () => {
    await enter({ gpc: true });
    await press("Manage preferences");
    expect(await visit.page.getByText("Global Privacy Control").isVisible()).toBe(true);
    expect(await visit.page.getByRole("checkbox", { name: "Marketing" }).isDisabled()).toBe(true);
    await visit.page.getByRole("dialog").getByRole("button", { name: "Accept all" }).click();
    const body = (await answered("/auth/consent-sync"))[0]?.body;
    expect(
      (await logOfVisitor(service, body.visitor_id)).map(({ consent_type, action, gpc }) => [
        consent_type,
        action,
        gpc,
      ]),
    ).toEqual([
      ["cookie", "granted", true],
      ["marketing", "revoked", true],
    ]);
    expect((await visit.privacyCalls())[0]).toMatchObject({
      marketing: false,
      sale_of_data: false,
    });
    await visit.close();
  });
});
