// The list of cookies in the theme and as a page: with and without script, on a phone, and by WCAG 2.2 AA.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hideCookie, saveCookie } from "../../../../app/domain/cookie-list/edit-cookies.ts";
import { getTenant } from "../../../../app/domain/tenants/tenant.ts";
import { findA11yViolations } from "../../../support/browser/accessibility.ts";
import { openBrowser } from "../../../support/browser/browser.ts";
import { openStore, type StoreOptions } from "../../../support/browser/store-visit.ts";
import { startConsentService, type ConsentService } from "../../../support/consent.ts";
import { SHOP } from "../../../support/service.ts";

const PAGE = "/apps/crm/embed/cookies?locale=en";
let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
  await service.addTenant(SHOP, { brand_name: "Kestrel Outdoor" });
  const tenant = await getTenant(service.ctx, SHOP);
  await saveCookie(service.ctx, tenant, {
    name: `long_${"name".repeat(20)}`,
    provider: "",
    purpose: "preferences",
    use: "<img src=x onerror=document.title=1> ذكر",
    duration: "1 year",
    was: null,
  });
  await hideCookie(service.ctx, tenant, {
    provider: "Shopify",
    name: "discount_code",
    is_hidden: true,
  });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const enter = async (options: StoreOptions = {}) => {
  const visit = await openStore(browser, service, {
    blocks: ["consent", "footer", "cookies"],
    ...options,
  });
  await visit.open();
  return visit;
};

describe("the list of cookies", () => {
  it.each(["light", "dark"] as const)(
    "stands in the theme and alone as tables that axe finds nothing wrong with (%s)",
    async (colorScheme) => {
      const visit = await enter({ context: { colorScheme } });
      const table = visit.page.getByRole("table", { name: "Necessary" });
      await table.waitFor();
      expect(await table.getByRole("columnheader").allInnerTexts()).toEqual([
        "Name",
        "Provider",
        "What for",
        "Duration",
      ]);
      const cart = table.getByRole("row").filter({
        has: visit.page.getByRole("rowheader", { name: "cart", exact: true }),
      });
      expect(await cart.getByRole("cell").allInnerTexts()).toEqual([
        "Shopify",
        "Remembers what is in your cart.",
        "2 weeks",
      ]);
      expect(await visit.page.getByText("discount_code").count()).toBe(0);
      await visit.page.getByText("<img src=x onerror=document.title=1>").waitFor();
      expect(await visit.page.title()).not.toBe("1");
      expect(await findA11yViolations(visit.page, { strict: true })).toEqual([]);
      await visit.open(PAGE);
      await visit.page.getByRole("table", { name: "Preferences" }).waitFor();
      expect(await findA11yViolations(visit.page, { strict: true })).toEqual([]);
      expect(visit.errors).toEqual([]);
      await visit.close();
    },
  );

  it("keeps its tables on a phone 320 pixels wide, each value with its column's name", async () => {
    const visit = await enter({ context: { viewport: { width: 320, height: 568 } } });
    for (const open of [null, PAGE]) {
      if (open) await visit.open(open);
      const table = visit.page.getByRole("table", { name: "Necessary" });
      await table.waitFor();
      expect(await visit.page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
      expect(await table.getByRole("rowheader", { name: "cart", exact: true }).count()).toBe(1);
      expect(await table.getByRole("columnheader").count()).toBe(4);
      const name = table.getByRole("rowheader", { name: "crm_consent", exact: true });
      expect((await name.boundingBox())?.height).toBeLessThan(40);
      expect(
        await table
          .getByRole("cell")
          .first()
          .evaluate((cell) => getComputedStyle(cell, "::before").content),
      ).toBe('"Provider "');
      expect(await findA11yViolations(visit.page, { strict: true })).toEqual([]);
    }
    await visit.close();
  });

  it("is a link without script, which leads to the whole list in the reader's language", async () => {
    const visit = await enter({ context: { javaScriptEnabled: false }, locale: "es" });
    await visit.page.getByRole("link", { name: "Cookies que usamos" }).click();
    await visit.page.getByRole("heading", { name: "Cookies que usamos", level: 1 }).waitFor();
    await visit.page.getByText("Recuerda lo que hay en tu carrito.").waitFor();
    await visit.page.getByRole("link", { name: "Opciones de privacidad" }).click();
    await visit.page.getByRole("link", { name: "Cookies que usamos" }).waitFor();
    await visit.close();
  });
});
