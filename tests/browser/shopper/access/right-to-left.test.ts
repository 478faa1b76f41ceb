// The embeds in a theme that is written from right to left, in the language of the theme and in another one; and
// texts of a merchant that are written so themselves.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_DESIGN } from "../../../../app/domain/tenants/banner/banner-design.ts";
import {
  toBannerValues,
  toSpokenTexts,
} from "../../../../app/domain/tenants/banner/banner-values.ts";
import { getTenant } from "../../../../app/domain/tenants/tenant.ts";
import { renderCompliance } from "../../../../app/embeds/compliance/compliance.ts";
import { footerStyle, renderFooterBody } from "../../../../app/embeds/footer.ts";
import { toPublicConfig } from "../../../../app/embeds/public-config.ts";
import { STOREFRONT_TEXTS } from "../../../../app/locales/storefront-texts.ts";
import { languageOf, sideOfFullStop } from "../../../support/browser/accessibility.ts";
import { openBrowser } from "../../../support/browser/browser.ts";
import {
  openStore,
  type StoreOptions,
  type StoreVisit,
} from "../../../support/browser/store-visit.ts";
import { startConsentService, type ConsentService } from "../../../support/consent.ts";
import { OTHER_SHOP, SHOP } from "../../../support/service.ts";

let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
afterEach(() => visit?.close());

const enter = async (options: StoreOptions = {}) => {
  visit = await openStore(browser, service, {
    // Persian, which no embed speaks.
    locale: "fa",
    head: '<script>document.documentElement.dir = "rtl"</script>',
    ...options,
  });
  await visit.open();
};

describe("in a theme that is written from right to left", () => {
  it("the English banner, preferences and confirmation are marked as English and read from left to right", async () => {
    await enter();
    const { page } = visit;
    await visit.banner().waitFor();
    expect(await sideOfFullStop(page, ".crm-banner p")).toBe("right");
    expect(await languageOf(page, ".crm-banner p")).toBe("en");

    await visit.button("Manage preferences").click();
    expect(await sideOfFullStop(page, ".crm-dialog small")).toBe("right");
    expect(await languageOf(page, ".crm-dialog small")).toBe("en");

    await visit.button("Save choices").click();
    expect(await sideOfFullStop(page, ".crm-toast")).toBe("right");
    expect(await languageOf(page, ".crm-toast")).toBe("en");
    expect(visit.errors).toEqual([]);
  });

  it("the links stand at the side where the theme's own lines begin, and nothing is wider than the page", async () => {
    await enter({ context: { viewport: { width: 320, height: 568 } } });
    await visit.settled();
    const links = visit.page.locator(".crm-links a").first();
    const { x = 0, width = 0 } = (await links.boundingBox()) ?? {};
    expect(x + width).toBeGreaterThan(290);
    expect(await languageOf(visit.page, ".crm-links a")).toBe("en");
    expect(
      await visit.page.evaluate(() => document.documentElement.scrollWidth),
    ).toBeLessThanOrEqual(320);
  });

  it("the privacy choices and the account read from left to right in the language they are marked with", async () => {
    await enter({ blocks: ["consent", "compliance", "account"] });
    const { page } = visit;
    await page.getByRole("heading", { name: "Privacy choices and rights" }).waitFor();
    expect(await sideOfFullStop(page, ".crm-page > p:not(.brand)")).toBe("right");
    expect(await languageOf(page, ".crm-page > p")).toBe("en");
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    expect(
      await page.locator(".crm-shopper").evaluate((root) => getComputedStyle(root).direction),
    ).toBe("ltr");
    expect(await languageOf(page, ".crm-shopper h1")).toBe("en");
  });
});

describe.each(["ar", "he"] as const)("in a theme in %s", (locale) => {
  const { banner, compliance, cookies } = STOREFRONT_TEXTS[locale];

  it("the banner, the preferences and the confirmation are in its language and read from right to left", async () => {
    await enter({ locale });
    const { page } = visit;
    await page.getByRole("region", { name: banner.title }).waitFor();
    expect(await sideOfFullStop(page, ".crm-banner p")).toBe("left");
    expect(await languageOf(page, ".crm-banner p")).toBe(locale);

    await visit.button(banner.choose).click();
    expect(await sideOfFullStop(page, ".crm-dialog small")).toBe("left");
    await visit.button(banner.save).click();
    await page.getByText(banner.saved).waitFor();
    expect(await sideOfFullStop(page, ".crm-toast")).toBe("left");
    expect(visit.errors).toEqual([]);
  });

  it.each(["rtl", "ltr"])(
    "the privacy choices and the list of cookies read from right to left in a page that is %s",
    async (direction) => {
      await enter({
        locale,
        blocks: ["consent", "compliance", "cookies"],
        head: `<script>document.documentElement.dir = "${direction}"</script>`,
      });
      const { page } = visit;
      for (const title of [compliance.pageTitle, cookies.title]) {
        const heading = page.getByRole("heading", { name: title });
        await heading.waitFor();
        expect(await heading.evaluate((one) => getComputedStyle(one).direction)).toBe("rtl");
      }
      expect(await sideOfFullStop(page, ".crm-page > p:not(.brand)")).toBe("left");
      expect(visit.errors).toEqual([]);
    },
  );
});

it("a policy in Arabic reads from right to left on its page", async () => {
  const version = "2026-12";
  await service.call("POST", `/admin/consent/policies?shop=${OTHER_SHOP}`, {
    body: { version, locale: "ar", body: "نحتفظ باسمك وعنوانك." },
  });
  await service.call("POST", `/config?shop=${OTHER_SHOP}`, {
    body: { consent_policy_version: version },
  });
  visit = await openStore(browser, service);
  await visit.page.goto(`${service.url}/embed/policy?shop=${OTHER_SHOP}&locale=ar`);
  expect(await sideOfFullStop(visit.page, ".policy")).toBe("left");
  expect(await languageOf(visit.page, ".policy")).toBe("ar");
});

describe("texts of a merchant that are written from right to left", () => {
  const ARABIC = {
    title: "خصوصيتك",
    text: "نستخدم ملفات الارتباط للإحصاء والتسويق فقط إذا سمحت بذلك.",
    preferences: "خيارات الخصوصية!",
    necessary: "ضرورية",
    necessaryText: "يحتاجها المتجر ليعمل.",
    saved: "تم حفظ اختيارك.",
  };

  it.each(["ltr", "rtl"])(
    "read from right to left in the banner, the preferences and the privacy choices of a page that is %s",
    async (direction) => {
      visit = await openStore(browser, service);
      const { page } = visit;
      const tenant = await getTenant(service.ctx, SHOP);
      const published = {
        version: 1,
        design: { ...DEFAULT_DESIGN, texts: { en: ARABIC } },
      };
      const look = {
        values: toBannerValues(tenant, published),
        texts: toSpokenTexts(tenant, published),
      };
      const config = toPublicConfig(tenant, { serviceUrl: service.url });

      await page.setContent(
        `<html dir="${direction}"><style>${footerStyle(look.values)}</style>${renderFooterBody(config, look)}</html>`,
      );
      await page.evaluate(() => {
        document.querySelector(".crm-banner")?.removeAttribute("hidden");
        document.querySelector<HTMLDialogElement>(".crm-dialog")?.show();
      });
      expect(await sideOfFullStop(page, ".crm-banner p")).toBe("left");
      expect(await sideOfFullStop(page, ".crm-dialog small")).toBe("left");
      expect(await sideOfFullStop(page, ".crm-links [data-crm=choose]")).toBe("left");

      await page.setContent(renderCompliance(config, look.texts));
      await page.evaluate((dir) => {
        document.documentElement.dir = dir;
        document.querySelector("[data-crm-script]")?.removeAttribute("hidden");
      }, direction);
      expect(await sideOfFullStop(page, ".crm-page form small")).toBe("left");
    },
  );
});
