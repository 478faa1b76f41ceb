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
import { themeCheckRun } from "@shopify/theme-check-node";
import { describe, expect, it } from "vitest";
import { themeEditorPaths } from "../../app/domain/tenants/storefront/theme-links.ts";
import { blockNames, renderBlock, schemaOf } from "../../app/sandbox/storefront/theme-blocks.ts";

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

  it("has one embed in the head and three blocks for sections", () => {
    expect(Object.fromEntries(blockNames().map((name) => [name, schemaOf(name).target]))).toEqual({
      account: "section",
      compliance: "section",
      consent: "head",
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

  it("uses only the app proxy's addresses, escaped, wherever the merchant configured it", async () => {
    for (const name of blockNames()) {
      const html = await renderBlock(name, {
        shop: "test-store.myshopify.com",
        locale: "es",
        assetUrl: (asset) => `/assets/${asset}`,
        settings: { proxy_path: '/apps/"><script>x' },
      });
      expect(html).not.toContain('"><script>x');
      const usual = await renderBlock(name, {
        shop: "test-store.myshopify.com",
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

describe("the links into the theme editor", () => {
  it("open the store's own editor at the embed and at each existing block", () => {
    const paths = themeEditorPaths("client-1");
    expect(Object.keys(paths).sort()).toEqual(blockNames().sort());
    expect(paths.consent).toBe(
      "/admin/themes/current/editor?context=apps&template=index&activateAppId=client-1%2Fconsent",
    );
    for (const name of ["footer", "account", "compliance"] as const) {
      const { pathname, searchParams } = new URL(paths[name], "https://test-store.myshopify.com");
      expect([pathname, searchParams.get("addAppBlockId")]).toEqual([
        "/admin/themes/current/editor",
        `client-1/${name}`,
      ]);
    }
  });
});
