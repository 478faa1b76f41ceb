// The embeds over HTTP: access, caching, framing, and that they contain public values only.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ADMIN_KEY,
  APP_SECRET,
  OTHER_SHOP,
  RETURN_ORIGIN,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../support/service.ts";
import { DEFAULT_DESIGN } from "../../app/domain/tenants/banner/banner-design.ts";
import { BANNER_LANGUAGES } from "../../app/domain/tenants/banner/banner-texts.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { renderThemeFooters } from "../../app/embeds/theme-footers.ts";
import { proxied } from "../support/browser/shopper-pages.ts";

const PAGES = ["/embed/footer", "/embed/compliance"];
const ALL = [...PAGES, "/embed/cookies", "/embed/stack-loader.js"];
const SECRETS = {
  storefront_app_secret: "secret-of-the-app-0123456789",
  storefront_admin_token: "secret-admin-token-0123456789",
  storefront_api_token: "secret-storefront-token-0123",
  admin_key: "secret-admin-key-0123456789",
  jwt_secret: "secret-jwt-0123456789-0123456789",
  erp_token: "secret-erp-token-0123456789",
  erp_username: "secret-erp-user",
  erp_password: "secret-erp-password-0123",
  retail_analytics_b_token: "secret-retail-token-0123456",
  email_api_key: "secret-email-key-0123456789",
};
type Sent = { encoding: unknown; etag: string; bytes: Buffer };
let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP, {
    ...SECRETS,
    brand_name: "Kestrel Outdoor",
    privacy_url: "https://kestrel.example/privacy",
    terms_url: "https://kestrel.example/terms",
    support_email: "privacy@kestrel.example",
    allowed_origins: ["https://kestrel.example"],
    consent_policy_version: "2026-11",
    locale: "fr",
  });
  await service.addTenant(OTHER_SHOP, { brand_name: "The Other One", consent_mode: "advanced" });
});
afterAll(() => service.stop());

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.call("GET", path, { key: null, headers });
const policyOf = (answer: Answer): Record<string, string[]> =>
  Object.fromEntries(
    (answer.headers.get("content-security-policy") ?? "")
      .split("; ")
      .map((part) => [part.split(" ")[0] as string, part.split(" ").slice(1)]),
  );

describe.each(ALL)("%s", (path) => {
  it("is public for a registered store", async () => {
    const answer = await get(`${path}?shop=${SHOP}`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      path.endsWith(".js") ? "text/javascript; charset=utf-8" : "text/html; charset=utf-8",
    ]);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect((await get(path)).json).toMatchObject({ code: "tenant_required" });
    expect((await get(`${path}?shop=evil.example`)).json).toMatchObject({ code: "invalid_shop" });
    expect((await get(`${path}?shop=nobody.myshopify.com`)).json).toMatchObject({
      code: "unknown_tenant",
    });
    expect(
      (await service.call("POST", `${path}?shop=${SHOP}`, { key: null, body: {} })).status,
    ).toBe(405);
  });

  it("is cacheable, with 304 until it changes", async () => {
    const first = await get(`${path}?shop=${OTHER_SHOP}`);
    const etag = first.headers.get("etag") as string;
    expect(first.headers.get("cache-control")).toMatch(/^public, max-age=\d+/);
    expect(first.headers.get("set-cookie")).toBeNull();
    const again = await get(`${path}?shop=${OTHER_SHOP}`, { "If-None-Match": `W/${etag}` });
    expect([
      again.status,
      again.text,
      again.headers.get("etag"),
      again.headers.get("content-security-policy"),
    ]).toEqual([304, "", etag, first.headers.get("content-security-policy")]);
    for (const known of ["*", `"another", ${etag}`])
      expect((await get(`${path}?shop=${OTHER_SHOP}`, { "If-None-Match": known })).status).toBe(
        304,
      );
    await service.addTenant(OTHER_SHOP, {
      brand_name: `Another name ${path}`,
      consent_policy_version: path,
    });
    expect((await get(`${path}?shop=${OTHER_SHOP}`, { "If-None-Match": etag })).status).toBe(200);
  });

  it("is compressed for clients that accept it, and plain for others", async () => {
    // Not fetch, which decompresses.
    const [packed, plain] = (await Promise.all(
      ["gzip, br", "gzip;q=0"].map(async (encoding) => {
        const { headers, body } = await request(`${service.url}${path}?shop=${SHOP}`, {
          headers: { "Accept-Encoding": encoding },
        });
        return {
          encoding: headers["content-encoding"],
          etag: String(headers.etag),
          bytes: Buffer.from(await body.arrayBuffer()),
        };
      }),
    )) as [Sent, Sent];
    expect([packed.encoding, plain.encoding]).toEqual(["gzip", undefined]);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.etag).not.toBe(plain.etag);
    for (const { etag } of [packed, plain])
      expect((await get(`${path}?shop=${SHOP}`, { "If-None-Match": etag })).status).toBe(304);
  });

  it("contains no credential and no data of another store", async () => {
    const { text } = await get(`${path}?shop=${SHOP}`);
    for (const secret of [
      ...Object.values(SECRETS),
      "cms-token",
      "analytics-secret",
      "profile-token",
      service.sandbox.federated.clientSecret,
      APP_SECRET,
      ADMIN_KEY,
      service.sandbox.cms.customersCollectionId,
    ])
      expect(text).not.toContain(secret);
    expect(text).not.toContain("Other One");
    expect(text).not.toContain(OTHER_SHOP);
  });

  it("is also served through the storefront's proxy, with links below it", async () => {
    const { pathname, search } = proxied(service, path, "");
    const answer = await get(pathname + search);
    expect(answer.status).toBe(200);
    if (path === "/embed/footer")
      expect(answer.text).toContain('href="/apps/crm/embed/compliance?locale=fr"');
    const unsigned = `?shop=${SHOP}&logged_in_customer_id=&path_prefix=%2Fapps%2Fcrm&timestamp=1&signature=00`;
    expect((await get(`/proxy${path}${unsigned}`)).status).toBe(401);
    expect((await get(path + unsigned)).status).toBe(404);
    expect((await get(`${path}?shop=${SHOP}&path_prefix=//evil.example`)).status).toBe(404);
  });
});

describe.each(PAGES)("%s", (path) => {
  it("uses the reader's language, else the store's", async () => {
    const lang = async (query: string) =>
      /<html lang="(\w+)">/.exec((await get(`${path}?shop=${SHOP}${query}`)).text)?.[1];
    expect([
      await lang(""),
      await lang("&locale=es"),
      await lang("&locale=en-GB"),
      await lang("&locale=de"),
      await lang("&locale="),
    ]).toEqual(["fr", "es", "en", "de", "fr"]);
  });

  it("can be framed by the store's own origins only, and its CSP allows our own scripts only", async () => {
    const policy = policyOf(await get(`${path}?shop=${SHOP}`));
    expect(policy["frame-ancestors"]).toEqual([
      "'self'",
      `https://${service.sandbox.storefront.primaryHost(SHOP)}`,
      `https://${SHOP}`,
      service.url,
      RETURN_ORIGIN,
      "https://kestrel.example",
    ]);
    expect(policy["default-src"]).toEqual(["'none'"]);
    expect(policy["base-uri"]).toEqual(["'none'"]);
    for (const sources of [policy["script-src"], policy["style-src"]]) {
      expect(sources).not.toContain("'unsafe-inline'");
      expect(sources?.some((source) => source.startsWith("'sha256-"))).toBe(true);
    }
    const other = policyOf(await get(`${path}?shop=${OTHER_SHOP}`));
    expect(other["frame-ancestors"]).toContain(`https://${OTHER_SHOP}`);
    expect(other["frame-ancestors"]).not.toContain(`https://${SHOP}`);
  });

  it("is readable for scripts of the store's origins only", async () => {
    expect(
      (await get(`${path}?shop=${SHOP}`, { Origin: `https://${SHOP}` })).headers.get(
        "access-control-allow-origin",
      ),
    ).toBe(`https://${SHOP}`);
    expect(
      (await get(`${path}?shop=${SHOP}`, { Origin: "https://evil.example" })).headers.get(
        "access-control-allow-origin",
      ),
    ).toBeNull();
  });
});

describe("the download size", () => {
  // The longest valid values of a store: host names with labels of 63 letters, a dated policy version.
  // The letters differ, as in a real name: 63 times the same one would be compressed to nothing.
  const LONG = "qx7-wonderful-jewellery-boutique-and-gifts-for-home-uk-vz93jk4b.myshopify.com";
  const size = async (path: string, locale: string) =>
    gzipSync((await get(`${path}?shop=${LONG}&locale=${locale}`)).text, { level: 9 }).length;

  it("is at most 2,048 bytes for the loader and 6,144 for the footer with banner and preferences, compressed, in every language", async () => {
    await service.addTenant(LONG, {
      brand_name: "Ünïcode & Söhne ".repeat(7).trim(),
      analytics_measurement_id: "G-ABCDEF1234",
      consent_policy_version: "2026-11-21.revision-12",
      consent_lifetime_months: 24,
      privacy_url: `https://${LONG}/policies/privacy-policy`,
      terms_url: `https://${LONG}/policies/terms-of-service`,
      support_email: "privacy-and-data-protection@kestrel-outdoor.example",
    });
    for (const locale of BANNER_LANGUAGES) {
      expect(await size("/embed/stack-loader.js", locale)).toBeLessThanOrEqual(2_048);
      expect(await size("/embed/stack-bridge.js", locale)).toBeLessThanOrEqual(3_328);
      expect(await size("/embed/footer", locale)).toBeLessThanOrEqual(6_144);
    }
  });

  it("is at most 6,144 bytes for the footer in a theme's page with its two scripts, each compressed, in every language", async () => {
    const assets = resolve(import.meta.dirname, "../../extensions/consent-footer/assets");
    const scripts = ["crm-choices.js", "crm-theme.js"].map((name) =>
      readFileSync(join(assets, name), "utf8"),
    );
    const tenant = await getTenant(service.ctx, SHOP);
    const banner = { version: 1, design: DEFAULT_DESIGN };
    const { style, parts } = renderThemeFooters(tenant, banner, service.url);
    expect(Object.keys(parts)).toHaveLength(BANNER_LANGUAGES.length);
    for (const part of Object.values(parts)) {
      const sizes = [style + part, ...scripts].map((text) => gzipSync(text, { level: 9 }).length);
      expect(sizes.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(6_144);
    }
  });
});
