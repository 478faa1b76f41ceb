// The accessibility of the embeds: by keyboard, at 320 pixels, in three languages, without script,
// and by WCAG 2.2 AA.
import { findA11yViolations } from "../../support/browser/accessibility.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../support/browser/browser.ts";
import { startConsentService, type ConsentService } from "../../support/consent.ts";
import { SHOP } from "../../support/service.ts";
import {
  keptChoice,
  openStore,
  type StoreOptions,
  type StoreVisit,
} from "../../support/browser/store-visit.ts";

const BRANDED = "branded.myshopify.com";
let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
  await service.addTenant(SHOP, {
    brand_name: "Kestrel Outdoor",
    privacy_url: "https://kestrel.example/privacy",
    terms_url: "https://kestrel.example/terms",
    support_email: "privacy@kestrel.example",
    consent_policy_version: "2026-11",
  });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const enter = async (options: StoreOptions = {}) => {
  visit = await openStore(browser, service, options);
  await visit.open();
};

const focused = () =>
  visit.page.evaluate(
    () =>
      (document.activeElement as HTMLElement).innerText ||
      document.activeElement?.getAttribute("data-crm-box") ||
      document.activeElement?.tagName,
  );
const dialog = () => visit.page.getByRole("dialog", { name: "Privacy choices" });

describe("axe finds no violation", () => {
  it.each(["light", "dark"] as const)(
    "on the banner and the footer, and on the preferences (%s)",
    async (colorScheme) => {
      await enter({ context: { colorScheme } });
      expect(await findA11yViolations(visit.page, { strict: true })).toEqual([]);
      await visit.page.getByRole("button", { name: "Manage preferences" }).click();
      await dialog().waitFor();
      expect(await findA11yViolations(visit.page, { strict: true })).toEqual([]);
      await visit.close();
    },
  );

  it.each(["light", "dark"] as const)(
    "on the compliance page, alone and in the theme (%s)",
    async (colorScheme) => {
      await enter({
        context: { colorScheme },
        blocks: ["consent", "compliance"],
        kept: { crm_consent: { cookie: true, marketing: false, version: "2026-11" } },
      });
      await visit.page.getByRole("heading", { name: "Privacy choices and rights" }).waitFor();
      expect(await findA11yViolations(visit.page, { strict: true })).toEqual([]);
      await visit.open("/apps/crm/embed/compliance?locale=en");
      expect(await findA11yViolations(visit.page, { strict: true })).toEqual([]);
      expect(visit.errors).toEqual([]);
      await visit.close();
    },
  );
});

it("the compliance page has the brand's colours, and the banner on the same page of a theme keeps its own", async () => {
  await service.addTenant(BRANDED, { brand_color: "#8a1c7c", brand_background: "#f4ecd8" });
  await enter({ shop: BRANDED, blocks: ["consent", "compliance"] });
  await visit.page.getByRole("heading", { name: "Privacy choices and rights" }).waitFor();
  await visit.banner().waitFor();
  const groundOf = (selector: string) =>
    visit.page
      .locator(selector)
      .first()
      .evaluate((one) => getComputedStyle(one).backgroundColor);
  expect([
    await groundOf(".crm-page > .card"),
    await groundOf(".crm-page [data-crm=accept]"),
    await groundOf(".crm-banner"),
    await groundOf(".crm-banner [data-crm=accept]"),
  ]).toEqual(["rgb(244, 236, 216)", "rgb(138, 28, 124)", "rgb(255, 255, 255)", "rgb(26, 28, 29)"]);
  expect(await findA11yViolations(visit.page, { strict: true })).toEqual([]);
  await visit.close();
});

it("axe finds no violation on the footer as a standalone page", async () => {
  await enter();
  await visit.open("/apps/crm/embed/footer?locale=en");
  await visit.banner().waitFor();
  expect(
    (await findA11yViolations(visit.page, { strict: true })).filter(
      (fault) => !fault.startsWith("page-has-heading-one"),
    ),
  ).toEqual([]);
  await visit.close();
});

describe("by keyboard only", () => {
  it("the banner is first in the tab order, and each of its buttons works", async () => {
    await enter();
    const order: unknown[] = [];
    for (let press = 0; press < 4; press += 1) {
      await visit.page.keyboard.press("Tab");
      order.push(await focused());
    }
    expect(order).toEqual(["Privacy policy", "Reject all", "Accept all", "Manage preferences"]);
    expect(
      await visit.page.evaluate(
        () => getComputedStyle(document.activeElement as Element).outlineStyle,
      ),
    ).toBe("solid");
    await visit.page.keyboard.press("Shift+Tab");
    await visit.page.keyboard.press("Enter");
    expect(await keptChoice(visit.page)).toMatchObject({ cookie: true, marketing: true });
    await visit.close();
  });

  it("the preferences open, are filled in, and return the focus; Escape makes no choice", async () => {
    await enter();
    for (let press = 0; press < 4; press += 1) await visit.page.keyboard.press("Tab");
    await visit.page.keyboard.press("Enter");
    await dialog().waitFor();
    await visit.page.keyboard.press("Escape");
    expect([
      await dialog().count(),
      await focused(),
      await keptChoice(visit.page),
      await visit.banner().count(),
    ]).toEqual([0, "Manage preferences", null, 1]);

    await visit.page.keyboard.press("Enter");
    expect(await focused()).toBe("cookie");
    await visit.page.keyboard.press("Space");
    // To the last of the three buttons.
    for (let press = 0; press < 4; press += 1) await visit.page.keyboard.press("Tab");
    expect(await focused()).toBe("Save choices");
    await visit.page.keyboard.press("Enter");
    expect(await keptChoice(visit.page)).toMatchObject({ cookie: true, marketing: false });
    expect([await dialog().count(), await visit.banner().count(), await focused()]).toEqual([
      0,
      0,
      "Privacy choices",
    ]);
    expect(await visit.page.getByRole("status").first().textContent()).toBe(
      "Your choice is saved.",
    );

    await visit.page.keyboard.press("Enter");
    expect(await visit.page.getByRole("checkbox", { name: "Analytics" }).isChecked()).toBe(true);
    await visit.page.keyboard.press("Escape");
    expect(await focused()).toBe("Privacy choices");
    await visit.close();
  });

  it("the banner never hides the focused element", async () => {
    await enter({ body: '<div style="height:180vh"></div><a href="#x">The last link</a>' });
    const link = visit.page.getByRole("link", { name: "The last link" });
    for (let press = 0; press < 5; press += 1) await visit.page.keyboard.press("Tab");
    expect(await focused()).toBe("The last link");
    const [at, above] = [await link.boundingBox(), await visit.banner().boundingBox()];
    expect((at?.y ?? 0) + (at?.height ?? 0)).toBeLessThanOrEqual(above?.y ?? 0);
    await visit.close();
  });
});

describe("the banner is fair", () => {
  it("accepting and rejecting have the same size and style, and no checkbox is ticked in advance", async () => {
    await enter();
    const look = (name: string) =>
      visit.page.getByRole("button", { name }).evaluate((button) => {
        const { width, height } = button.getBoundingClientRect();
        const { color, backgroundColor, fontSize, fontWeight, borderColor } =
          getComputedStyle(button);
        return {
          width: Math.round(width),
          height: Math.round(height),
          color,
          backgroundColor,
          fontSize,
          fontWeight,
          borderColor,
        };
      });
    expect(await look("Accept all")).toEqual(await look("Reject all"));
    await visit.page.getByRole("button", { name: "Manage preferences" }).click();
    for (const name of ["Analytics", "Marketing"])
      expect(await visit.page.getByRole("checkbox", { name }).isChecked()).toBe(false);
    await visit.close();
  });

  it("there is no animation and no transition with any motion preference", async () => {
    await enter();
    expect(
      await visit.page.evaluate(
        () =>
          [...document.querySelectorAll(".crm, .crm *")].filter(
            (one) =>
              getComputedStyle(one).animationName !== "none" ||
              getComputedStyle(one).transitionDuration !== "0s",
          ).length,
      ),
    ).toBe(0);
    await visit.close();
  });

  it("the buttons keep their borders with forced colours", async () => {
    await enter({ context: { forcedColors: "active" } });
    expect(
      await visit.page
        .getByRole("button", { name: "Reject all" })
        .evaluate((button) => getComputedStyle(button).borderTopWidth),
    ).toBe("2px");
    await visit.close();
  });
});

describe("on a phone 320 pixels wide", () => {
  it.each([
    ["en", "Manage preferences"],
    ["es", "Gestionar preferencias"],
    ["fr", "Gérer les préférences"],
  ])(
    "banner, preferences and footer fit, with targets of 24 pixels and more (%s)",
    async (locale, choose) => {
      await enter({ locale, context: { viewport: { width: 320, height: 568 } } });
      const overflow = () =>
        visit.page.evaluate(() =>
          Math.max(
            ...[document.documentElement, ...document.querySelectorAll(".crm, .crm *")].map((one) =>
              Math.max(
                one.getBoundingClientRect().right,
                one === document.documentElement ? one.scrollWidth : 0,
              ),
            ),
          ),
        );
      expect(await overflow()).toBeLessThanOrEqual(320);
      await visit.page.getByRole("button", { name: choose, exact: true }).click();
      expect(await overflow()).toBeLessThanOrEqual(320);
      for (const target of await visit.page
        .locator(
          "[data-crm]:visible, .crm-dialog button:visible, .crm-links a:visible, [data-crm-box]:visible",
        )
        .all())
        expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(24);
      await visit.close();
    },
  );

  it("the compliance page fits", async () => {
    await enter({ context: { viewport: { width: 320, height: 568 } } });
    await visit.open("/apps/crm/embed/compliance?locale=fr");
    expect(
      await visit.page.evaluate(() => document.documentElement.scrollWidth),
    ).toBeLessThanOrEqual(320);
    await visit.close();
  });
});

describe("without script", () => {
  it("a link with a newsletter's parameter leads to the page by one click, in the reader's language", async () => {
    visit = await openStore(browser, service, {
      context: { javaScriptEnabled: false, locale: "fr-FR" },
    });
    await visit.open("/apps/crm/embed/compliance?utm_source=newsletter&locale=fr");
    await visit.page
      .getByRole("heading", { name: "Il reste une étape pour ouvrir ce lien" })
      .waitFor();
    await visit.page.getByRole("link", { name: "Ouvrir la page" }).click();
    await visit.page.getByText("JavaScript").first().waitFor();
    expect(new URL(visit.page.url()).search).toBe("?locale=fr");
    await visit.close();
  });

  it("the theme's links lead to pages with the information, and there is no banner that could not be answered", async () => {
    visit = await openStore(browser, service, {
      context: { javaScriptEnabled: false },
      locale: "es",
    });
    await visit.open();
    expect(await visit.banner().count()).toBe(0);
    await visit.page.getByRole("link", { name: "Opciones de privacidad" }).click();
    await visit.page.getByRole("heading", { name: "Opciones y derechos de privacidad" }).waitFor();
    expect(await visit.page.getByText("hace falta JavaScript").isVisible()).toBe(true);
    expect(
      await visit.page.getByRole("link", { name: "privacy@kestrel.example" }).getAttribute("href"),
    ).toBe("mailto:privacy@kestrel.example");
    await visit.close();
  });
});
