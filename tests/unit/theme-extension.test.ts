// The theme app extension, checked as the platform checks it.
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { themeCheckRun } from "@shopify/theme-check-node";
import { describe, expect, it } from "vitest";
import { DEFAULT_DESIGN } from "../../app/domain/tenants/banner/banner-design.ts";
import { shippedTexts } from "../../app/domain/tenants/banner/banner-texts.ts";
import { carriesEmbed, themeEditorPaths } from "../../app/domain/tenants/storefront/theme-links.ts";
import { defaultFields, type TenantConfig } from "../../app/domain/tenants/tenant-config.ts";
import type { Tenant } from "../../app/domain/tenants/tenant.ts";
import { renderThemeFooters } from "../../app/embeds/theme-footers.ts";
import {
  blockNames,
  renderBlock,
  schemaOf,
} from "../../app/sandbox/storefront/theme/theme-blocks.ts";

const SHOP = "test-store.myshopify.com";
const FOLDER = resolve(import.meta.dirname, "../../extensions/consent-footer");
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8");
const folders = (folder: string) => readdirSync(join(FOLDER, folder));
const keysOf = (value: unknown, path = ""): string[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => keysOf(inner, `${path}.${key}`))
    : [path];

async function offenses(folder: string): Promise<string[]> {
  const place = mkdtempSync(join(tmpdir(), "theme-check-"));
  try {
    const config = join(place, "config.yml");
    writeFileSync(config, "extends: theme-check:theme-app-extension\n");
    const found = await themeCheckRun(folder, config, () => {});
    return found.offenses.map(
      ({ check, message, uri }) => `${check}: ${message} (${uri.split("/").at(-1)})`,
    );
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

describe("the theme app extension", () => {
  it("passes the platform's own check, which detects a fault", async () => {
    expect(await offenses(FOLDER)).toEqual([]);
    const copy = mkdtempSync(join(tmpdir(), "theme-copy-"));
    cpSync(FOLDER, copy, { recursive: true });
    writeFileSync(
      join(copy, "blocks/account.liquid"),
      read("blocks/account.liquid").replace("'account.link' | t", "'account.nothing' | t"),
    );
    expect((await offenses(copy)).join()).toContain("account.nothing");
    rmSync(copy, { recursive: true });
  });

  it("has one embed, which comes before other apps' embeds, and four blocks for sections", () => {
    expect(Object.fromEntries(blockNames().map((name) => [name, schemaOf(name).target]))).toEqual({
      account: "section",
      compliance: "section",
      consent: "compliance_head",
      cookies: "section",
      footer: "section",
    });
    expect(read("shopify.extension.toml")).toMatch(/^type = "theme"$/m);
  });

  it("has the same keys in English, Spanish and French", () => {
    for (const kind of ["", ".schema"]) {
      const [en, ...others] = [`en.default${kind}.json`, `es${kind}.json`, `fr${kind}.json`].map(
        (file) => keysOf(JSON.parse(read(`locales/${file}`))),
      );
      for (const other of others) expect(other).toEqual(en);
    }
    expect(folders("locales")).toHaveLength(6);
  });

  it("stays far below the platform's size limits", () => {
    for (const file of folders("assets"))
      expect(statSync(join(FOLDER, "assets", file)).size).toBeLessThan(10_000);
    const liquid = [
      ...folders("blocks").map((file) => `blocks/${file}`),
      ...folders("snippets").map((file) => `snippets/${file}`),
    ];
    expect(liquid.reduce((sum, file) => sum + statSync(join(FOLDER, file)).size, 0)).toBeLessThan(
      100_000,
    );
  });

  it.each(folders("assets"))(
    "has %s up to date with its sources: `npm run build:theme` renews it",
    (name) => {
      const built = resolve(import.meta.dirname, "../../app/generated/embeds", name);
      expect(read(`assets/${name}`) === readFileSync(built, "utf8")).toBe(true);
    },
  );

  it.each([
    ["the loader", "crm-loader.js", 2_048],
    ["its second part", "crm-bridge.js", 3_328],
  ])("loads of %s (%s) at most %d bytes, compressed", (_, name, most) => {
    expect(gzipSync(read(`assets/${name}`), { level: 9 }).length).toBeLessThanOrEqual(most);
  });

  it.each([
    ["holds scripts back", "crm-blocker.liquid", 2_048],
    ["tells Microsoft's tags the choice", "crm-microsoft.liquid", 512],
  ])(
    "%s inline (%s) with at most %d bytes, compressed, up to date with its source",
    (_, name, most) => {
      const snippet = read(`snippets/${name}`);
      const built = resolve(import.meta.dirname, "../../app/generated/embeds", name);
      expect(snippet === readFileSync(built, "utf8")).toBe(true);
      const [, code = ""] = /{% raw %}([^]*){% endraw %}/.exec(snippet) ?? [];
      expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(most);
      expect(code).not.toMatch(/<\/script|<!--/i);
    },
  );

  it("uses only the app proxy's addresses, escaped, wherever the merchant configured it", async () => {
    for (const name of blockNames()) {
      const html = await renderBlock(name, {
        shop: SHOP,
        locale: "es",
        assetUrl: (asset) => `/assets/${asset}`,
        settings: { proxy_path: '/apps/"><script>x' },
      });
      expect(html).not.toContain('"><script>x');
      const usual = await renderBlock(name, {
        shop: SHOP,
        locale: "es",
        assetUrl: (asset) => `/assets/${asset}`,
      });
      const addresses = [...usual.matchAll(/(?:src|href)="([^"]+)"/g)]
        .map(([, address]) => address as string)
        .filter((address) => !address.startsWith("/assets/"));
      expect(addresses.length).toBeGreaterThan(0);
      for (const address of addresses)
        expect(address).toMatch(/^\/apps\/crm\/embed\/[\w.-]+\?locale=es$/);
    }
  });
});

describe("the consent embed", () => {
  const render = (options: Partial<Parameters<typeof renderBlock>[1]> = {}) =>
    renderBlock("consent", {
      shop: SHOP,
      locale: "es",
      assetUrl: (asset) => `/assets/${asset}`,
      ...options,
    });
  const VALUES = ["test-store.myshopify.com", "https://service.example", true, "G-TEST1", "v1"];
  const SIGNS: Record<string, string> = { lt: "<", gt: ">", "#34": '"', "#39": "'", amp: "&" };
  const configOf = (html: string): unknown =>
    JSON.parse(
      (/data-crm-config="([^"]*)"/.exec(html)?.[1] ?? "").replace(
        /&(\w+|#\d+);/g,
        (entity, name: string) => SIGNS[name] ?? entity,
      ),
    );
  const loader = (value: unknown) => ({
    metafields: [{ namespace: "crm", key: "loader", type: "json", value: JSON.stringify(value) }],
  });

  it("loads the script from the service in a store without the app's metafield", async () => {
    const html = await render();
    expect(html).toContain('data-src="/apps/crm/embed/stack-loader.js?locale=es"');
    expect(html).not.toContain("data-crm-config");
    expect(carriesEmbed(html)).toBe(true);
  });

  it("loads the asset, with the metafield's values in the page, and nothing from the service", async () => {
    const html = await render(loader(VALUES));
    expect(html).toContain('data-src="/assets/crm-loader.js"');
    expect(configOf(html)).toEqual(VALUES);
    expect(html).not.toContain("stack-loader.js");
    expect(carriesEmbed(html)).toBe(true);
  });

  it("escapes the metafield's values for the attribute", async () => {
    const attack = `"><script>window.broken=1</script>'{{ 7 | times: 7 }}&quot;`;
    const html = await render(loader([attack]));
    expect(html.split("<script")).toHaveLength(4);
    expect(html).not.toContain("window.broken=1</script");
    expect(configOf(html)).toEqual([attack]);
  });

  it("holds nothing back without its metafield or where that says so: not a byte more is in the page", async () => {
    const off = await render(loader(VALUES));
    const field = (value: unknown) => ({
      metafields: [
        ...loader(VALUES).metafields,
        { namespace: "crm", key: "held", type: "json", value: JSON.stringify(value) },
      ],
    });
    expect(await render(field(false))).toBe(off);
    expect(await render({ ...field([12, "", []]), isDesignMode: true })).not.toContain("crm-held");
    const attack = `"><script>window.broken=1</script>`;
    const on = await render(field([12, attack, [["marketing", "vendor.example/"]]]));
    expect(on.indexOf("data-crm-held")).toBeLessThan(on.indexOf("window.dataLayer"));
    expect(on.indexOf("Content-Security-Policy")).toBeLessThan(on.indexOf("data-crm-held"));
    expect(on).not.toContain("window.broken=1</script");
  });

  it("tells Microsoft's tags before any other script only where the merchant switched it on", async () => {
    const off = await render(loader(VALUES));
    expect(off).not.toContain("uetq");
    const on = await render({ ...loader(VALUES), settings: { microsoft_consent: true } });
    expect(on.indexOf("uetq")).toBeGreaterThan(0);
    expect(on.indexOf("uetq")).toBeLessThan(on.indexOf("window._crmDefaults"));
  });

  it.each([
    ["fr", "fr"],
    ["fr-CA", "fr"],
    ["pt-BR", "pt-BR"],
    ["pt-AO", "pt-PT"],
    ["no", "nb"],
    ["zh-TW", "zh-TW"],
    ["zh-HK", "zh-TW"],
    ["zh-SG", "zh-CN"],
    ["fa", "es"],
  ] as const)("has the footer for a reader of %s in %s", async (locale, language) => {
    const config: Partial<TenantConfig> = { ...defaultFields(), locale: "es" };
    const tenant = { shop: SHOP, connection: {}, config } as Tenant;
    const published = { version: 0, design: DEFAULT_DESIGN };
    const value = JSON.stringify(renderThemeFooters(tenant, published, "https://service.example"));
    const html = await render({
      locale,
      metafields: [{ namespace: "crm", key: "footer", type: "json", value }],
    });
    expect(/<div data-crm-root lang="(.*?)"/.exec(html)?.[1]).toBe(language);
    expect(html).toContain(`data-crm="accept">${shippedTexts(language).accept}<`);
  });

  it("knows the theme editor before any other script", async () => {
    expect(await render({ isDesignMode: true })).toContain("if (true ||");
    expect(await render()).toContain("if (false ||");
  });
});

describe("the links into the theme editor", () => {
  it("open the store's own editor at the embed and at each existing block", () => {
    const paths = themeEditorPaths("client-1");
    expect(Object.keys(paths).sort()).toEqual(blockNames().sort());
    expect(paths.consent).toBe(
      "/admin/themes/current/editor?context=apps&template=index&activateAppId=client-1%2Fconsent",
    );
    for (const name of ["footer", "account", "compliance", "cookies"] as const) {
      const { pathname, searchParams } = new URL(paths[name], "https://test-store.myshopify.com");
      expect([pathname, searchParams.get("addAppBlockId")]).toEqual([
        "/admin/themes/current/editor",
        `client-1/${name}`,
      ]);
    }
  });
});
