// Bundles and minifies the scripts and styles of the embeds into app/generated/embeds, as strings that the
// embeds serve or inline. scripts/ensure.mjs runs it together with the Prisma client's generation: production
// needs no build tool. With `--theme` it also renews the scripts of the theme extension.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, transformWithEsbuild, type Rollup } from "vite";
import { bundleUiExtensions } from "./ui-extensions/bundle.ts";

const root = join(import.meta.dirname, "..");
const sources = join(root, "app/embeds");
const target = join(root, "app/generated/embeds");
const themeAssets = join(root, "extensions/consent-footer/assets");
const themeSnippets = join(root, "extensions/consent-footer/snippets");

/** The sources by the name that the embeds use. */
const SCRIPT_SOURCES = {
  "stack-loader": "scripts/stack-loader.ts",
  "consent-choices": "scripts/consent-choices.ts",
  "stack-bridge": "scripts/stack-bridge.ts",
  account: "shopper/account.ts",
  dashboard: "shopper/dashboard.ts",
};
const STYLE_SOURCES = {
  footer: "scripts/footer.css",
  compliance: "scripts/compliance.css",
  cookies: "styles/cookies.css",
  controls: "styles/controls.css",
  page: "styles/page.css",
  shopper: "styles/shopper.css",
};
/** Nested CSS rules are compiled for these browsers. */
const OLDEST_BROWSERS = ["chrome109", "firefox115", "safari15"];

/** A second minification pass: every shopper downloads these files. */
const TERSER = {
  ecma: 2020,
  toplevel: true,
  compress: { passes: 3, unsafe_arrows: true, hoist_funs: true },
} as const;

/** The loader of the theme reads its store's values from the page. */
const THEME_PLACE = {
  find: "./loader-place.ts",
  replacement: join(sources, "scripts/theme-place.ts"),
};

async function bundle(source: string, alias: (typeof THEME_PLACE)[] = []): Promise<string> {
  const made = (await build({
    configFile: false,
    logLevel: "error",
    resolve: { alias },
    build: {
      write: false,
      minify: "terser",
      terserOptions: TERSER,
      target: "es2020",
      lib: { entry: resolve(sources, source), formats: ["iife"], name: "crm" },
      // Saves bytes; none of the scripts depends on strict mode.
      rollupOptions: { output: { strict: false } },
    },
  })) as Rollup.RollupOutput[];
  return (made[0]?.output[0].code ?? "").trim();
}

async function minifyStyle(source: string): Promise<string> {
  const { code } = await transformWithEsbuild(readFileSync(join(sources, source), "utf8"), source, {
    loader: "css",
    minify: true,
    sourcemap: false,
    target: OLDEST_BROWSERS,
  });
  return code.trim();
}

/** As the Shopify CLI bundles it; what the vendor's package does is this one call. */
const VENDOR_PACKAGE = {
  find: "@shopify/web-pixels-extension",
  replacement: join(root, "scripts/web-pixel-register.ts"),
};
const pixel = await bundle(join(root, "extensions/web-pixel/src/index.ts"), [VENDOR_PACKAGE]);

const asTable = (name: string, entries: [string, string][]) =>
  `export const ${name} = ${JSON.stringify(Object.fromEntries(entries), null, 2)};\n`;
const scripts = await Promise.all(
  Object.entries(SCRIPT_SOURCES).map(async ([name, source]): Promise<[string, string]> => [
    name,
    await bundle(source),
  ]),
);
const styles = await Promise.all(
  Object.entries(STYLE_SOURCES).map(async ([name, source]): Promise<[string, string]> => [
    name,
    await minifyStyle(source),
  ]),
);
/** The scripts of the theme, by their names among its assets. */
const THEME_SOURCES = {
  "crm-loader.js": SCRIPT_SOURCES["stack-loader"],
  "crm-choices.js": SCRIPT_SOURCES["consent-choices"],
  "crm-bridge.js": SCRIPT_SOURCES["stack-bridge"],
  "crm-theme.js": "scripts/theme-script.ts",
};
/** Inline in a page's head: a request would delay every page, and what follows would not wait for it. */
const INLINE_SOURCES = {
  "crm-blocker.liquid": "scripts/script-blocker.ts",
  "crm-microsoft.liquid": "scripts/microsoft-consent.ts",
};
const NOTE = "{%- comment -%} Made by `npm run build:theme`. {%- endcomment -%}";
mkdirSync(target, { recursive: true });
for (const [name, source] of Object.entries(INLINE_SOURCES)) {
  const snippet = `${NOTE}{% raw %}${await bundle(source)}{% endraw %}\n`;
  writeFileSync(join(target, name), snippet);
  if (process.argv.includes("--theme")) writeFileSync(join(themeSnippets, name), snippet);
}
writeFileSync(join(target, "web-pixel.js"), pixel);
await bundleUiExtensions(join(target, "ui-extensions"));
for (const [name, source] of Object.entries(THEME_SOURCES)) {
  const script = `// Made by \`npm run build:theme\`.\n${await bundle(source, [THEME_PLACE])}\n`;
  writeFileSync(join(target, name), script);
  if (process.argv.includes("--theme")) writeFileSync(join(themeAssets, name), script);
}
writeFileSync(
  join(target, "scripts.ts"),
  `// Made by scripts/build-embeds.ts from app/embeds.\n${asTable("SCRIPTS", scripts)}${asTable("STYLES", styles)}`,
);
