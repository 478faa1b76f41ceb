// Scripts and frames of others in a store's page, which wait for the consent to their purposes.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../../support/browser/browser.ts";
import { chooseOn, LAST, lastRan, ran, runsOn } from "../../../support/browser/script-runs.ts";
import { openStore, type StoreVisit } from "../../../support/browser/store-visit.ts";
import { startConsentService, type ConsentService } from "../../../support/consent.ts";
import { eventually, SHOP } from "../../../support/service.ts";

const PARTNER = "https://partner.example";
let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
  await service.addTenant(SHOP, { consent_policy_version: "2026-11" });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const script = (attributes: string, code = "") =>
  `<script type="text/plain" ${attributes}>${code}</script>`;
const frame = (purposes: string, name: string) =>
  `<iframe data-consent="${purposes}" data-src="${PARTNER}/${name}" title="${name}"></iframe>`;
const enter = async (body: string, options: Parameters<typeof openStore>[2] = {}) => {
  visit = await openStore(browser, service, { body, ...options });
  await visit.page.route(`${PARTNER}/**`, (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    asked.push(name);
    return name.endsWith(".js")
      ? route.fulfill({
          contentType: "text/javascript",
          // A module of another origin loads only where its host allows it.
          headers: { "Access-Control-Allow-Origin": "*" },
          body: ran(name),
        })
      : route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Frame</title>" });
  });
  asked.length = 0;
  await visit.open();
};
const asked: string[] = [];
const runs = () => runsOn(visit.page);
const press = (name: string) => visit.page.getByRole("button", { name, exact: true }).click();
const answered = () =>
  eventually("the record", () => visit.sent.some(({ path }) => path === "/auth/consent-sync"));
const choose = (flags: Record<string, boolean>) => chooseOn(visit.page, flags);
const done = () => lastRan(visit.page);

describe("a marked script and a marked frame", () => {
  const BODY =
    script(`data-consent="marketing" data-src="${PARTNER}/pixel.js"`) +
    script('data-consent="marketing"', ran("inline")) +
    frame("analytics", "map") +
    LAST;

  it("are not requested before a choice, once after it was accepted, and once on the next page", async () => {
    await enter(BODY);
    await visit.page.getByRole("region", { name: "Your privacy" }).waitFor();
    expect([asked, await runs()]).toEqual([[], []]);
    await press("Accept all");
    await done();
    expect([asked, await runs()]).toEqual([
      ["pixel.js", "map"],
      ["pixel.js", "inline", "last"],
    ]);
    await visit.page.evaluate("document.dispatchEvent(new Event('crm:choice'))");
    await choose({ cookie: true, marketing: true });
    expect(asked).toHaveLength(2);
    await visit.page.reload({ waitUntil: "load" });
    await done();
    expect([asked.toSorted(), visit.errors]).toEqual([["map", "map", "pixel.js", "pixel.js"], []]);
    await visit.close();
  });

  it("are never requested after a refusal", async () => {
    await enter(BODY);
    await press("Reject all");
    await answered();
    await visit.page.reload({ waitUntil: "networkidle" });
    expect([asked, await runs(), visit.errors]).toEqual([[], [], []]);
    await visit.close();
  });

  it("wait for each purpose by itself, and for all of several", async () => {
    await enter(
      script('data-consent="preferences"', ran("preferences")) +
        script('data-consent="sale_of_data"', ran("sale")) +
        frame(" analytics  marketing ", "both") +
        LAST,
    );
    await choose({ cookie: true, marketing: false });
    await done();
    expect([asked, await runs()]).toEqual([[], ["preferences", "last"]]);
    await choose({ cookie: true, marketing: true });
    await eventually("the frame", () => asked.includes("both"));
    expect(await runs()).toEqual(["preferences", "last", "sale"]);
    await visit.close();
  });

  it("for marketing stay where the browser sends Global Privacy Control", async () => {
    await enter(BODY, { gpc: true });
    await press("Accept all");
    await done();
    expect([asked, await runs()]).toEqual([["map"], ["last"]]);
    await visit.close();
  });

  it("run without a question where the region asks nobody", async () => {
    await enter(BODY, { region: "JP13" });
    await done();
    expect(asked).toEqual(["pixel.js", "map"]);
    await visit.close();
  });

  it("that are added later run once allowed, and nothing is added to what a withdrawal stopped", async () => {
    await enter(LAST);
    await choose({ cookie: true, marketing: true });
    await done();
    const add = (name: string) =>
      visit.page.evaluate(
        ([markup]) => document.querySelector("main")?.insertAdjacentHTML("beforeend", markup),
        [frame("analytics", name)] as const,
      );
    await add("later");
    await eventually("the frame", () => asked.includes("later"));
    await press("Withdraw consent");
    await add("never");
    await answered();
    expect(asked).toEqual(["later"]);
    await visit.close();
  });

  it("stay as they are in the theme editor", async () => {
    await enter(BODY, { isDesignMode: true });
    await press("Accept all");
    expect([asked, await runs()]).toEqual([[], []]);
    await visit.close();
  });
});

describe("what a marked script is", () => {
  const accept = async (body: string) => {
    await enter(body + LAST);
    await press("Accept all");
    await done();
  };

  it("keeps its attributes, its nonce and its place, and may be a module", async () => {
    await accept(
      script(
        `id="own" nonce="n1" crossorigin="anonymous" data-partner="7" data-consent="analytics" data-type="module" onload="void 0"`,
        ran("module"),
      ),
    );
    await visit.page.waitForFunction("window.ran.includes('module')");
    expect(
      await visit.page.evaluate(() => {
        const own = document.getElementById("own") as HTMLScriptElement;
        return [
          own.type,
          own.nonce,
          own.crossOrigin,
          own.dataset.partner,
          own.dataset.consent,
          own.parentElement?.localName,
        ];
      }),
    ).toEqual(["module", "n1", "anonymous", "7", undefined, "main"]);
    await visit.close();
  });

  it("runs after the one before it, and an async one delays nobody", async () => {
    await enter(
      script(`data-consent="analytics" async data-src="${PARTNER}/slow.js"`) +
        script(`data-consent="analytics" src="${PARTNER}/first.js"`) +
        script('data-consent="analytics"', ran("second")) +
        LAST,
    );
    await visit.page.route(`${PARTNER}/slow.js`, () => {});
    await press("Accept all");
    await done();
    expect(await runs()).toEqual(["first.js", "second", "last"]);
    await visit.close();
  });

  it("that cannot be loaded stops none of the others", async () => {
    await enter(script(`data-consent="analytics" data-src="${PARTNER}/broken.js"`) + LAST);
    await visit.page.route(`${PARTNER}/broken.js`, (route) => route.abort());
    await press("Accept all");
    await done();
    await visit.close();
  });

  it.each(["nomodule", 'data-type="application/json"', 'data-type="text/template"'])(
    "that the browser never loads (%s) delays none of the others",
    async (attribute) => {
      await enter(
        script(`data-consent="analytics" data-type="module" data-src="${PARTNER}/module.js"`) +
          script(`data-consent="analytics" ${attribute} data-src="${PARTNER}/never.js"`) +
          script(`data-consent="analytics" data-src="${PARTNER}/third.js"`) +
          LAST,
      );
      const start = Date.now();
      await press("Accept all");
      await done();
      expect(Date.now() - start).toBeLessThan(2_500);
      expect([asked, await runs()]).toEqual([
        ["module.js", "third.js"],
        ["module.js", "third.js", "last"],
      ]);
      await visit.close();
    },
  );

  it("whose host does not answer stops the others for a few seconds only", async () => {
    await enter(script(`data-consent="analytics" data-src="${PARTNER}/silent.js"`) + LAST);
    await visit.page.route(`${PARTNER}/silent.js`, () => {});
    await press("Accept all");
    await done();
    expect(await runs()).toEqual(["last"]);
    await visit.close();
  });

  it.each(["data:text/javascript,window.broken=1", "javascript:window.broken=1", "blob:x", "//["])(
    "with the address %s never runs",
    async (address) => {
      await accept(
        script(`data-consent="analytics" data-src="${address}"`, "window.broken=1") +
          `<iframe data-consent="analytics" data-src="${address}" title="a frame"></iframe>`,
      );
      expect(await visit.page.evaluate("window.broken")).toBeUndefined();
      expect(await visit.page.locator("[data-consent]").evaluateAll((all) => all.length)).toBe(2);
      await visit.close();
    },
  );

  it.each([
    "",
    "statistics",
    "constructor",
    "__proto__",
    "analytics,marketing",
    "analytics unknown",
  ])("with the purpose %j never runs", async (purpose) => {
    await accept(script(`data-consent="${purpose}"`, ran("unknown")));
    expect(await runs()).toEqual(["last"]);
    await visit.close();
  });
});
