// Hostile values that try to break out of their context: HTML, an attribute, a script.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderCompliance } from "../../app/embeds/compliance/compliance.ts";
import { renderCookies } from "../../app/embeds/compliance/cookies.ts";
import { scriptJson } from "../../app/embeds/escaping.ts";
import {
  BANNER_TEXT_NAMES,
  type BannerTexts,
} from "../../app/domain/tenants/banner/banner-texts.ts";
import { cookieTexts } from "../../app/domain/cookie-list/cookie-texts.ts";
import { PURPOSES } from "../../app/domain/vendors/known-vendors.ts";
import type { SpokenTexts } from "../../app/domain/tenants/banner/banner-values.ts";
import { renderFooter } from "../../app/embeds/footer.ts";
import { PLAIN_THEME } from "../../app/embeds/page-theme.ts";
import { toPublicConfig, type PublicConfig } from "../../app/embeds/public-config.ts";
import { renderShopperPage } from "../../app/embeds/shopper-page.ts";
import { renderStackLoader } from "../../app/embeds/stack-loader.ts";
import { openBrowser } from "../support/browser/browser.ts";
import { SHOP, startService, type Service } from "../support/service.ts";

const ATTACK = `</script><script>window.broken=1</script><img src=x onerror="window.broken=1">'"\`\u2028window.broken=1//-->{{7*7}}$&$1__CONFIG__`;
const HOSTILE: PublicConfig = {
  shop: ATTACK,
  locale: "en",
  brand: ATTACK,
  logoUrl: `https://x.example/"onload="window.broken=1`,
  theme: PLAIN_THEME,
  termsUrl: `https://x.example/'"><script>window.broken=1</script>`,
  privacyUrl: `https://x.example/${ATTACK}`,
  supportEmail: ATTACK,
  measurementId: ATTACK,
  consentMode: "basic",
  regions: null,
  policyVersion: ATTACK,
  consentMonths: 12,
  agentAccess: true,
  agentPayments: true,
  signIn: ["federated"],
  federatedBrand: null,
  serviceUrl: "https://service.example",
  at: "https://service.example",
};
let browser: Awaited<ReturnType<typeof openBrowser>>;
/** Texts and addresses as if no schema had checked them: the escaping alone must hold. */
const attack = `"><script>window.broken=1</script><img src=x onerror=window.broken=1>'</script>`;
const hostileTexts: SpokenTexts = {
  ...(Object.fromEntries(BANNER_TEXT_NAMES.map((name) => [name, attack])) as BannerTexts),
  lang: "en",
};
const renderHostileFooter = (config: PublicConfig) =>
  renderFooter(config, {
    values: {
      version: 1,
      template: "bar",
      position: "left",
      style: "",
      logo: attack,
      links: { privacy: true, terms: true },
      privacy: attack,
      terms: attack,
      support: attack,
      policy: attack,
    },
    texts: hostileTexts,
  });
const renderHostileCookies = (config: PublicConfig) =>
  renderCookies(
    config,
    PURPOSES.map((purpose) => ({
      purpose,
      name: attack,
      provider: attack,
      use: attack,
      lang: null,
      duration: attack,
    })),
    { spoken: hostileTexts, texts: cookieTexts("en") },
  );
let service: Service;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startService()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

describe("hostile configuration", () => {
  it.each([
    ["the footer", renderHostileFooter],
    ["the compliance page", (config: PublicConfig) => renderCompliance(config, hostileTexts)],
    ["the list of cookies", renderHostileCookies],
    [
      "the dashboard",
      (config: PublicConfig) =>
        renderShopperPage(config, { page: "dashboard", returnTo: null, customer: null }),
    ],
  ])("stays text in %s", async (_, render) => {
    const { page, errors, close } = await browser.visit(["https://page.example"]);
    // No CSP of the server applies here: the escaping alone must protect.
    await page.route("https://page.example/**", (route) =>
      route.request().resourceType() === "document"
        ? route.fulfill({ contentType: "text/html; charset=utf-8", body: render(HOSTILE) })
        : route.fulfill({ contentType: "text/javascript", body: "" }),
    );
    await page.goto("https://page.example/");
    expect(await page.evaluate("window.broken")).toBeUndefined();
    expect(
      await page.evaluate(() =>
        [...document.querySelectorAll("*")]
          .flatMap((one) => [...one.attributes].map(({ name }) => name))
          .filter((name) => name.startsWith("on")),
      ),
    ).toEqual([]);
    expect(await page.title()).toContain("</script>");
    expect(errors.filter((error) => !error.includes("net::ERR"))).toEqual([]);
    await close();
  });

  it("stays a value in the loader, which still parses and starts with the consent defaults", async () => {
    const { page, errors, close } = await browser.visit(["https://page.example"]);
    const script = renderStackLoader(HOSTILE);
    await page.route("https://page.example/**", (route) =>
      route.fulfill({
        contentType: "text/html; charset=utf-8",
        body: `<!doctype html><script>${script}</script>`,
      }),
    );
    await page.route("**/embed/stack-bridge.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: "" }),
    );
    await page.goto("https://page.example/");
    expect(
      await page.evaluate("[window.broken, window.dataLayer[0][0], window.dataLayer[0][1]]"),
    ).toEqual([undefined, "consent", "default"]);
    expect(errors).toEqual([]);
    expect(script).not.toMatch(/[\u2028\u2029]|<\/script/i);
    await close();
  });

  it("as JSON in a script parses to the same value", () => {
    expect(JSON.parse(scriptJson({ text: ATTACK }))).toEqual({ text: ATTACK });
  });

  it("of URLs is an http link or no link", () => {
    const config = {
      brand_name: "x",
      consent_mode: "basic",
      locale: "en",
      agent_access_enabled: true,
      agent_payments_enabled: true,
    } as const;
    const withLink = (address: string) =>
      toPublicConfig(
        { shop: SHOP, config: { ...config, privacy_url: address } as never, connection: {} },
        { serviceUrl: "https://service.example" },
      ).privacyUrl;
    expect([
      withLink("javascript:alert(1)"),
      withLink("data:text/html,x"),
      withLink("nothing"),
      withLink("https://ok.example/a"),
    ]).toEqual([null, null, null, "https://ok.example/a"]);
  });

  it("saved by a merchant is escaped, and the page's CSP would block it as well", async () => {
    await service.addTenant(SHOP, {
      brand_name: ATTACK.slice(0, 119),
      consent_policy_version: `</script><script>window.broken=1//`,
      privacy_url: `https://x.example/?a="'><script>window.broken=1</script>`,
    });
    const { page, close } = await browser.visit([service.url]);
    for (const path of ["/embed/footer", "/embed/compliance"]) {
      await page.goto(`${service.url}${path}?shop=${SHOP}`);
      expect(await page.evaluate("[window.broken, typeof window._crmConsent]")).toEqual([
        undefined,
        "object",
      ]);
    }
    await close();
  });
});
