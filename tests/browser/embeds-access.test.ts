// The embeds for everybody: by keyboard, at 320 pixels, in three languages, without script, and by the rules of WCAG 2.2 AA.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { startConsentService, type ConsentService } from "../support/consent.ts";
import { SHOP } from "../support/service.ts";
import {
  keptChoice,
  openStore,
  type StoreOptions,
  type StoreVisit,
} from "../support/store-visit.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
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

/** What axe finds wrong, by the rules of WCAG 2.2 AA and its best practices. */
async function faults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = (await page.evaluate(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })",
  )) as { violations: { id: string; nodes: { html: string }[] }[] };
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

const focused = () =>
  visit.page.evaluate(
    () =>
      (document.activeElement as HTMLElement).innerText ||
      document.activeElement?.getAttribute("data-crm-box") ||
      document.activeElement?.tagName,
  );
const dialog = () => visit.page.getByRole("dialog", { name: "Privacy choices" });
const banner = () => visit.page.getByRole("region", { name: "Your privacy" });

describe("axe finds nothing", () => {
  it.each(["light", "dark"] as const)(
    "on the banner and the footer, and on the preferences (%s)",
    async (colorScheme) => {
      await enter({ context: { colorScheme } });
      expect(await faults(visit.page)).toEqual([]);
      await visit.page.getByRole("button", { name: "Choose" }).click();
      await dialog().waitFor();
      expect(await faults(visit.page)).toEqual([]);
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
      expect(await faults(visit.page)).toEqual([]);
      await visit.open("/apps/crm/embed/compliance?locale=en");
      expect(await faults(visit.page)).toEqual([]);
      expect(visit.errors).toEqual([]);
      await visit.close();
    },
  );
});

it("axe finds nothing on the footer as a page of its own", async () => {
  await enter();
  await visit.open("/apps/crm/embed/footer?locale=en");
  await banner().waitFor();
  expect(
    (await faults(visit.page)).filter((fault) => !fault.startsWith("page-has-heading-one")),
  ).toEqual([]);
  await visit.close();
});

describe("by keyboard alone", () => {
  it("the banner comes first, and each of its buttons is reached and pressed", async () => {
    await enter();
    const order: unknown[] = [];
    for (let press = 0; press < 4; press += 1) {
      await visit.page.keyboard.press("Tab");
      order.push(await focused());
    }
    expect(order).toEqual(["Privacy policy", "Refuse all", "Accept all", "Choose"]);
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

  it("the preferences open, are filled in, and give the focus back; Escape chooses nothing", async () => {
    await enter();
    for (let press = 0; press < 4; press += 1) await visit.page.keyboard.press("Tab");
    await visit.page.keyboard.press("Enter");
    await dialog().waitFor();
    await visit.page.keyboard.press("Escape");
    expect([
      await dialog().count(),
      await focused(),
      await keptChoice(visit.page),
      await banner().count(),
    ]).toEqual([0, "Choose", null, 1]);

    await visit.page.keyboard.press("Enter");
    expect(await focused()).toBe("cookie");
    await visit.page.keyboard.press("Space");
    // To the last of the three ways to answer.
    for (let press = 0; press < 4; press += 1) await visit.page.keyboard.press("Tab");
    expect(await focused()).toBe("Save choices");
    await visit.page.keyboard.press("Enter");
    expect(await keptChoice(visit.page)).toMatchObject({ cookie: true, marketing: false });
    expect([await dialog().count(), await banner().count(), await focused()]).toEqual([
      0,
      0,
      "Privacy choices",
    ]);
    expect(await visit.page.getByRole("status").first().textContent()).toBe(
      "Your choice is saved.",
    );

    await visit.page.keyboard.press("Enter");
    expect(await visit.page.getByRole("checkbox", { name: "Statistics" }).isChecked()).toBe(true);
    await visit.page.keyboard.press("Escape");
    expect(await focused()).toBe("Privacy choices");
    await visit.close();
  });

  it("what has the focus is not hidden by the banner", async () => {
    await enter({ body: '<div style="height:180vh"></div><a href="#x">The last link</a>' });
    const link = visit.page.getByRole("link", { name: "The last link" });
    for (let press = 0; press < 5; press += 1) await visit.page.keyboard.press("Tab");
    expect(await focused()).toBe("The last link");
    const [at, above] = [await link.boundingBox(), await banner().boundingBox()];
    expect((at?.y ?? 0) + (at?.height ?? 0)).toBeLessThanOrEqual(above?.y ?? 0);
    await visit.close();
  });
});

describe("the banner is fair", () => {
  it("accepting and refusing have the same size and looks, and nothing is ticked beforehand", async () => {
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
    expect(await look("Accept all")).toEqual(await look("Refuse all"));
    await visit.page.getByRole("button", { name: "Choose" }).click();
    for (const name of ["Statistics", "Marketing"])
      expect(await visit.page.getByRole("checkbox", { name }).isChecked()).toBe(false);
    await visit.close();
  });

  it("nothing moves: no animation and no transition, whatever the reader prefers", async () => {
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

  it("keeps its buttons' borders where the reader's own colours are forced", async () => {
    await enter({ context: { forcedColors: "active" } });
    expect(
      await visit.page
        .getByRole("button", { name: "Refuse all" })
        .evaluate((button) => getComputedStyle(button).borderTopWidth),
    ).toBe("2px");
    await visit.close();
  });
});

describe("on a phone 320 pixels wide", () => {
  it.each([
    ["en", "Choose"],
    ["es", "Elegir"],
    ["fr", "Choisir"],
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
  it("the theme's links lead to pages that say what is what, and no banner asks what it could not hear", async () => {
    visit = await openStore(browser, service, {
      context: { javaScriptEnabled: false },
      locale: "es",
    });
    await visit.open();
    expect(await banner().count()).toBe(0);
    await visit.page.getByRole("link", { name: "Opciones de privacidad" }).click();
    await visit.page.getByRole("heading", { name: "Opciones y derechos de privacidad" }).waitFor();
    expect(await visit.page.getByText("hace falta JavaScript").isVisible()).toBe(true);
    expect(
      await visit.page.getByRole("link", { name: "privacy@kestrel.example" }).getAttribute("href"),
    ).toBe("mailto:privacy@kestrel.example");
    await visit.close();
  });
});
