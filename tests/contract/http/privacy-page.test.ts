// `GET /privacy`: public, without cookies and scripts, with the periods that are in force.
import { LANGUAGES } from "../../../app/locales/languages.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataSetNames } from "../../../app/domain/inventory/data-sets.ts";
import {
  RETENTION_SETTINGS,
  retentionSettingNames,
} from "../../../app/domain/inventory/retention-settings.ts";
import { escapeHtml } from "../../../app/embeds/escaping.ts";
import { privacyTexts } from "../../../app/embeds/texts.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { SUPPORT_EMAIL: "privacy@service.example" } });
  await service.addTenant(SHOP, {
    brand_name: 'Kestrel <script>alert("1")</script>',
    support_email: "help@kestrel.example",
    archive_retention_days: 91,
    event_log_retention_days: 17,
    cms_api_token: "cms-token-0123456789",
  });
  await service.addTenant(OTHER_SHOP, { locale: "fr" });
});
afterAll(() => service.stop());

const get = (query = "", headers: Record<string, string> = {}) =>
  service.call("GET", `/privacy${query}`, { key: null, headers });

describe("the privacy page", () => {
  it("is public HTML with the headers of a page, without cookie, script or another site's resource", async () => {
    const answer = await get();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(answer.text).not.toMatch(/<script|<link|<img|https?:\/\//);
  });

  it("answers HEAD like GET, and no other method", async () => {
    const head = await service.call("HEAD", "/privacy", { key: null });
    expect([head.status, head.text]).toEqual([200, ""]);
    expect((await service.call("POST", "/privacy", { body: {} })).status).toBe(405);
  });

  it.each(LANGUAGES)(
    "shows each set of data, each right and each recipient: %s",
    async (locale) => {
      const { text } = await get(`?locale=${locale}`);
      const texts = privacyTexts(locale);
      expect(text).toContain(`<html lang="${locale}">`);
      for (const name of dataSetNames)
        for (const part of Object.values(texts.sets[name]))
          expect(text).toContain(escapeHtml(part));
      for (const group of [texts.roles, texts.rights, texts.deletion, texts.security])
        for (const part of Object.values(group)) expect(text).toContain(escapeHtml(part));
      for (const { name } of service.ctx.channels)
        expect(text).toContain(escapeHtml(texts.recipients[name as keyof typeof texts.recipients]));
    },
  );

  it("shows the default periods and the service's contact without a store", async () => {
    const { text } = await get();
    expect(text).toContain(
      `Archived messages: ${RETENTION_SETTINGS.archive_retention_days.days} days`,
    );
    expect(text).toContain("Completed checkouts: 400 days");
    expect(text).toContain('href="mailto:privacy@service.example"');
    expect(text).not.toContain("Kestrel");
  });

  it("shows a store's own periods, name and contact, escaped, and nothing else of it", async () => {
    const { text } = await get(`?shop=${SHOP}`);
    expect(text).toContain("Archived messages: 91 days");
    expect(text).toContain("Delivered events: 17 days");
    expect(text).toContain('href="mailto:help@kestrel.example"');
    expect(text).toContain('href="mailto:privacy@service.example"');
    expect(text).toContain("Kestrel &#60;script&#62;");
    expect(text).not.toContain("<script");
    expect(text).not.toContain("cms-token");
    expect(text).toContain(`/privacy?shop=${SHOP}&#38;locale=es`);
  });

  it("is in the store's language, and keeps to the default periods of a store that chose none", async () => {
    const { text } = await get(`?shop=${OTHER_SHOP}`);
    expect(text).toContain('<html lang="fr">');
    expect(text).toContain("Messages archivés\u00a0: 365 jours");
    expect(text).not.toContain("91");
  });

  it("answers 404 for an unknown store and 400 for an invalid one", async () => {
    const unknown = await get("?shop=nobody-here.myshopify.com");
    expect([unknown.status, unknown.json.code]).toEqual([404, "unknown_tenant"]);
    for (const shop of ["nobody", "<script>", "a.myshopify.com.evil.example"]) {
      const invalid = await get(`?shop=${encodeURIComponent(shop)}`);
      expect([shop, invalid.status, invalid.json.code]).toEqual([shop, 400, "invalid_shop"]);
    }
  });

  it("falls back to English for another language", async () => {
    expect((await get("?locale=de")).text).toContain('<html lang="en">');
    expect((await get(`?locale=${"x".repeat(36)}`)).status).toBe(400);
  });

  it("follows a saved period at once", async () => {
    const days = Object.fromEntries(
      retentionSettingNames.map((name) => [name, RETENTION_SETTINGS[name].max]),
    );
    const shop = "periods.myshopify.com";
    await service.addTenant(shop);
    const answer = await service.call("POST", `/config?shop=${shop}`, { body: days });
    expect(answer.status).toBe(200);
    expect((await get(`?shop=${shop}&locale=en`)).text).toContain("Archived messages: 3650 days");
  });
});

it("without SUPPORT_EMAIL the contact is the service's sender", async () => {
  const other = await startService();
  try {
    const { text } = await other.call("GET", "/privacy", { key: null });
    expect(text).toContain('href="mailto:hello@test-store.example"');
  } finally {
    await other.stop();
  }
});
