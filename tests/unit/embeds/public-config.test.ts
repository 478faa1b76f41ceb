// What shoppers' pages get of a store's settings.
import { describe, expect, it } from "vitest";
import { DEFAULT_DESIGN } from "../../../app/domain/tenants/banner/banner-design.ts";
import { BANNER_LANGUAGES } from "../../../app/domain/tenants/banner/banner-texts.ts";
import { toSpokenTexts } from "../../../app/domain/tenants/banner/banner-values.ts";
import { REGION_PRESETS } from "../../../app/domain/tenants/consent-regions.ts";
import { defaultFields, type TenantConfig } from "../../../app/domain/tenants/tenant-config.ts";
import type { Tenant } from "../../../app/domain/tenants/tenant.ts";
import { renderCompliance } from "../../../app/embeds/compliance/compliance.ts";
import { brandOfIssuer, embedAddress, toPublicConfig } from "../../../app/embeds/public-config.ts";
import { renderShopperPage } from "../../../app/embeds/shopper-page.ts";
import { renderThemeFooters } from "../../../app/embeds/theme-footers.ts";
import { STOREFRONT_TEXTS } from "../../../app/locales/storefront-texts.ts";

const SERVICE = "https://service.example";
const tenant = (config: Partial<TenantConfig> = {}, connection: Tenant["connection"] = {}) =>
  ({
    shop: "kestrel.myshopify.com",
    config: { ...defaultFields(), ...config },
    connection,
  }) as Tenant;
const configOf = (...given: Parameters<typeof tenant>) =>
  toPublicConfig(tenant(...given), { serviceUrl: SERVICE });

describe("a sign-in elsewhere", () => {
  it.each<[string, "google" | null, string | undefined]>([
    ["the provider's own issuer", "google", "https://accounts.google.com"],
    ["a host that begins like it", null, "https://accounts.google.com.evil.example"],
    ["another provider", null, "https://login.example"],
    ["no address", null, "accounts.google.com"],
    ["none", null, undefined],
  ])("has a known provider's mark by its issuer alone: %s", (_, brand, issuer) => {
    expect(brandOfIssuer(issuer)).toBe(brand);
  });

  it.each<[string, boolean, Partial<TenantConfig>, string[] | undefined]>([
    ["what it granted is not known", true, {}, undefined],
    ["it granted reading", true, {}, ["read_orders", "customer_read_customers"]],
    ["it granted writing", true, {}, ["customer_write_customers"]],
    ["it granted the admin's scope only", false, {}, ["read_customers"]],
    [
      "it has a client of its own",
      true,
      { storefront_customer_account_client_id: "own" },
      ["read_customers"],
    ],
  ])("with the store's customer accounts is offered where it can work: %s", (...given) => {
    const [, isOffered, config, granted] = given;
    const { signIn } = configOf(config, granted && { granted_scopes: granted });
    expect(signIn.includes("storefront")).toBe(isOffered);
  });
});

it("an address names the store, except below the storefront's proxy, which adds it", () => {
  const reader = { serviceUrl: SERVICE, pathPrefix: "/apps/crm" };
  expect(embedAddress(configOf(), "/embed/account")).toBe(
    `${SERVICE}/embed/account?shop=kestrel.myshopify.com&locale=en`,
  );
  expect(embedAddress(toPublicConfig(tenant(), reader), "/embed/account")).toBe(
    "/apps/crm/embed/account?locale=en",
  );
});

it.each([true, false])(
  "the page of choices speaks of agents while the store lets them in: %s",
  (isOn) => {
    const texts = toSpokenTexts(tenant(), { version: 0, design: DEFAULT_DESIGN });
    const html = renderCompliance(configOf({ agent_access_enabled: isOn }), texts);
    expect(html.includes(`<h2>${STOREFRONT_TEXTS.en.compliance.agents}</h2>`)).toBe(isOn);
  },
);

it("the footers of a theme's page fit in every language, with rules by region, every link and a design of the store's own", () => {
  const store = tenant({
    consent_regions: { ...REGION_PRESETS.recommended, exceptions: [] },
    privacy_url: "https://kestrel.example/policies/privacy-policy",
    terms_url: "https://kestrel.example/policies/terms-of-service",
    support_email: "privacy@kestrel.example",
  });
  const { locale, parts } = renderThemeFooters(
    store,
    { version: 1, design: DEFAULT_DESIGN },
    SERVICE,
  );
  expect([locale, Object.keys(parts).length]).toEqual(["en", BANNER_LANGUAGES.length]);
});

it("the footers of a theme's page always have the store's own language, and fit what the platform stores", () => {
  const long = { title: "&".repeat(200), text: "&".repeat(15_000) };
  const texts = Object.fromEntries(BANNER_LANGUAGES.map((lang) => [lang, long]));
  const published = { version: 1, design: { ...DEFAULT_DESIGN, texts } };
  const all = renderThemeFooters(tenant(), { version: 0, design: DEFAULT_DESIGN }, SERVICE);
  expect([all.locale, Object.keys(all.parts).length]).toEqual(["en", BANNER_LANGUAGES.length]);
  for (const locale of ["fr", "es"] as const) {
    const some = renderThemeFooters(tenant({ locale }), published, SERVICE);
    expect(Object.keys(some.parts)).toContain(locale);
    expect(Object.keys(some.parts).length).toBeLessThan(BANNER_LANGUAGES.length);
    expect(some.locale).toBeNull();
    // A language that does not fit comes from the service, and not as another form of it.
    for (const lang of BANNER_LANGUAGES)
      expect(some.otherCodes[lang]).toBe(Object.hasOwn(some.parts, lang) ? undefined : lang);
    expect(Buffer.byteLength(JSON.stringify(some))).toBeLessThan(128_000);
  }
});

describe("the account page without script", () => {
  const shown = (...given: Parameters<typeof tenant>) => {
    const view = { page: "account", returnTo: null, customer: null } as const;
    return /<noscript>(.*?)<style>/s.exec(renderShopperPage(configOf(...given), view))?.[1];
  };
  const ADMIN_ONLY = { granted_scopes: ["read_customers"] };

  it("says only what there is", () => {
    expect(shown({}, ADMIN_ONLY)).toBe("<p>This page needs JavaScript.</p>");
  });

  it("names the address for help, and the ways to sign in with their addresses", () => {
    expect(shown({ support_email: "help@kestrel.example" }, ADMIN_ONLY)).toBe(
      '<p>This page needs JavaScript.</p><p>For help, write to <a href="mailto:help@kestrel.example">help@kestrel.example</a></p>',
    );
    expect(shown()).toMatch(
      /<p>Without it you can sign in here:<\/p><ul class="ways"><li>.*href="https:\/\/service\.example\/auth\/storefront\/login\?/s,
    );
  });
});
