// Every template of the banner, the preferences and the compliance page in every language on the narrowest phone:
// one page, whose content is replaced.
import { expect, test } from "vitest";
import { BannerDesign, DEFAULT_DESIGN } from "../../../app/domain/tenants/banner/banner-design.ts";
import { BANNER_LANGUAGES } from "../../../app/domain/tenants/banner/banner-texts.ts";
import { toBannerValues, toSpokenTexts } from "../../../app/domain/tenants/banner/banner-values.ts";
import { renderCompliance } from "../../../app/embeds/compliance/compliance.ts";
import { footerStyle, renderFooterBody } from "../../../app/embeds/footer.ts";
import { toPublicConfig } from "../../../app/embeds/public-config.ts";
import { findA11yViolations } from "../../support/browser/accessibility.ts";
import { openBrowser } from "../../support/browser/browser.ts";

type Stored = Parameters<typeof toBannerValues>[0] & Parameters<typeof toPublicConfig>[0];
const STORE = {
  shop: "kestrel.myshopify.com",
  config: {
    locale: "en",
    privacy_url: "https://kestrel.example/privacy",
    terms_url: "https://kestrel.example/terms",
    support_email: "privacy@kestrel.example",
    consent_mode: "basic",
  },
  connection: {},
} as unknown as Stored;

/** Shows a banner or another part, and says what is wrong with its geometry. */
const SHOW = ({ html, part }: { html: string; part: string }): string[] => {
  document.body.innerHTML = html;
  const banner = document.querySelector<HTMLElement>(part);
  if (!banner) return ["no banner"];
  for (const one of [banner, ...banner.querySelectorAll<HTMLElement>("[data-crm-script]")])
    one.hidden = false;
  if (banner instanceof HTMLDialogElement) banner.showModal();
  const boxOf = (name: string) => {
    const { width = 0, height = 0 } =
      banner.querySelector(`[data-crm=${name}]`)?.getBoundingClientRect() ?? {};
    return `${Math.round(width)}x${Math.round(height)}`;
  };
  const problems = [];
  const wide = [banner, ...banner.querySelectorAll<HTMLElement>("*")].filter(
    (part) =>
      part.scrollWidth > part.clientWidth + 1 && part.tagName !== "H2" && part.clientWidth > 1,
  );
  for (const part of wide) problems.push(`${part.tagName} is wider than its place`);
  if (document.documentElement.scrollWidth > innerWidth) problems.push("the page scrolls sideways");
  if (boxOf("refuse") !== boxOf("accept"))
    problems.push(`${boxOf("refuse")} and ${boxOf("accept")}`);
  const { left, right } = banner.getBoundingClientRect();
  if (left < 0 || right > innerWidth) problems.push("the banner leaves the screen");
  return problems;
};

test("every template, the preferences and the compliance page fit 320 pixels in every language, with equal answers and no accessibility finding", async () => {
  const browser = await openBrowser();
  const { page, errors, close } = await browser.visit(["https://store.example"], {
    viewport: { width: 320, height: 640 },
  });
  await page.route("https://store.example/**", (route) =>
    route.fulfill({
      contentType: "text/html; charset=utf-8",
      body: `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>A store</title></head><body></body></html>`,
    }),
  );
  await page.goto("https://store.example/");
  const found: string[] = [];
  for (const template of BannerDesign.shape.template.options)
    for (const lang of BANNER_LANGUAGES) {
      const published = { version: 1, design: { ...DEFAULT_DESIGN, template } };
      const look = {
        values: toBannerValues(STORE, published),
        texts: toSpokenTexts(STORE, published, lang),
      };
      const config = toPublicConfig(STORE, { serviceUrl: "https://service.example" });
      const html = `<main><h1>Store</h1><style>${footerStyle(look.values)}</style>${renderFooterBody(config, look)}</main>`;
      const parts = [{ part: ".crm-banner", html }];
      // The same with every template.
      if (template === "bar")
        parts.push(
          { part: ".crm-dialog", html },
          {
            part: ".crm-page",
            html: renderCompliance({ ...config, agentAccess: true }, look.texts),
          },
        );
      for (const shown of parts) {
        const problems = await page.evaluate(SHOW, shown);
        // Long words, no spaces, and from right to left stand for the others: the markup is the same.
        if (["hu", "ja", "ar"].includes(lang)) problems.push(...(await findA11yViolations(page)));
        found.push(...problems.map((one) => `${shown.part} ${template} ${lang}: ${one}`));
      }
    }
  expect(found).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

/**
 * A theme whose dark footer colours its own elements, by rules that stand after ours. Not in white: the
 * check leaves text open that has the very colour of its ground.
 */
const DARK_FOOTER = `<style>.site-footer{background:#111}
.site-footer :is(h2,p,label,small,a,button,div,dialog,form){color:#ddd}.site-footer button{background:#222}</style>`;

test("a theme that colours the elements of its footer makes no text of banner or preferences unreadable, and neither is printed over the page", async () => {
  const browser = await openBrowser();
  const { page, close } = await browser.visit(["https://store.example"]);
  await page.route("https://store.example/**", (route) =>
    route.fulfill({
      contentType: "text/html; charset=utf-8",
      body: `<!doctype html><html lang="en"><head><title>A store</title></head><body></body></html>`,
    }),
  );
  await page.goto("https://store.example/");
  const config = toPublicConfig(STORE, { serviceUrl: "https://service.example" });
  const found: string[] = [];
  for (const template of ["bar", "centre"] as const) {
    const published = { version: 1, design: { ...DEFAULT_DESIGN, template } };
    const look = {
      values: toBannerValues(STORE, published),
      texts: toSpokenTexts(STORE, published, "en"),
    };
    const html = `<main><h1>Store</h1><div class="site-footer"><style>${footerStyle(look.values)}</style>${renderFooterBody(config, look)}</div></main>${DARK_FOOTER}`;
    for (const part of [".crm-banner", ".crm-dialog"]) {
      await page.evaluate(SHOW, { html, part });
      found.push(...(await findA11yViolations(page)).map((one) => `${part} ${template}: ${one}`));
      await page.emulateMedia({ media: "print" });
      if (await page.locator(part).isVisible()) found.push(`${part} ${template}: is printed`);
      await page.emulateMedia({ media: null });
    }
  }
  expect(found).toEqual([]);
  await close();
});
