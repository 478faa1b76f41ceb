import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { vitePlugin as remix } from "@remix-run/dev";
import { defineConfig, type Plugin } from "vite";

export default defineConfig({
  plugins: [
    serverCodeOnce(),
    endpointsStayOnServer(),
    polarisInOneFile(),
    usedPolarisParts(),
    browserChunks(),
    remix({
      future: {
        v3_fetcherPersist: true,
        v3_relativeSplatPath: true,
        v3_throwAbortReason: true,
        v3_lazyRouteDiscovery: true,
        v3_singleFetch: true,
        v3_routeConfig: true,
      },
    }),
    precompress(),
  ],
  // Smaller than with the default minifier, by as much as the translation library needs.
  build: {
    assetsInlineLimit: 0,
    target: "es2022",
    modulePreload: { polyfill: false },
    minify: "terser",
    terserOptions: {
      module: true,
      ecma: 2020,
      compress: { ecma: 2020, passes: 3 },
      format: { comments: false },
    },
  },
  json: { namedExports: false },
  // Named, not discovered: what development discovers on the way ends in a second copy of React for the first visitor.
  optimizeDeps: {
    noDiscovery: true,
    include: [
      "react",
      "react/jsx-runtime",
      "react/jsx-dev-runtime",
      "react-dom",
      "react-dom/client",
      "i18next",
      "react-i18next",
      "@remix-run/react",
      "@shopify/app-bridge-react",
      "@shopify/polaris",
      "@shopify/shopify-app-remix/react",
      "d3-shape",
    ],
  },
});

const ROOT = import.meta.dirname;
const isOurs = (file: string) =>
  /^app\/((domain|http|integrations|runtime)\/|shopify\.server\.ts$)/.test(relative(ROOT, file));

/**
 * The process runs this code from its sources. A second copy inside the bundle would have its own error
 * classes, so that `instanceof` fails between the two, its own caches and its own file paths.
 */
function serverCodeOnce(): Plugin {
  return {
    name: "server-code-once",
    apply: "build",
    enforce: "pre",
    // Relative to the built file, so that the project may be moved after the build; the server has one file,
    // because these paths would be wrong in other chunks.
    config: (_, { isSsrBuild }) => ({
      build: {
        rollupOptions: {
          output: {
            paths: (id) => (isOurs(id) ? relative(join(ROOT, "build/server"), id) : id),
            ...(isSsrBuild && { inlineDynamicImports: true }),
          },
        },
      },
    }),
    resolveId(source, importer, { ssr }) {
      if (!ssr || !importer || !source.startsWith(".")) return null;
      const file = resolve(dirname(importer.replace(/\?.*$/, "")), source);
      return isOurs(file) ? { id: file, external: "absolute" } : null;
    },
  };
}

/**
 * A route without a screen has no client code; otherwise the client build would follow all of its imports.
 */
function endpointsStayOnServer(): Plugin {
  return {
    name: "endpoints-stay-on-server",
    enforce: "pre",
    load(id, options) {
      const isEndpoint = /^app\/routes\/[^?]*\.ts$/.test(relative(ROOT, id));
      return isEndpoint && !options?.ssr ? "export {};" : null;
    },
  };
}

/**
 * Node would load Polaris and its icons as 1,600 files, a seventh of a start. The part of the app's framework
 * that renders Polaris goes along, so that there is one copy.
 */
function polarisInOneFile(): Plugin {
  const renders = "@shopify/shopify-app-remix/react";
  return {
    name: "polaris-in-one-file",
    apply: "build",
    enforce: "pre",
    config: () => ({ ssr: { noExternal: [/^@shopify\/polaris/] } }),
    resolveId: (source, _, { ssr }) =>
      ssr && source === renders ? fileURLToPath(import.meta.resolve(renders)) : null,
  };
}

/** Of Polaris' data: the themes beside `light`, and the texts of parts that no screen uses. */
const UNUSED_TEXTS =
  /^(Autocomplete|Avatar|ContextualSaveBar|DataTable|DatePicker|DiscardConfirmationModal|DropZone|Frame|FullscreenBar|IndexFilters|Loading|MediaCard|SkeletonPage|TopBar|VideoThumbnail)$/;

/** The texts of a part that screens show. */
function usedTexts(part: string, texts: Record<string, unknown>): Record<string, unknown> {
  // A table of selected rows takes these from the list, which no screen uses.
  if (part === "ResourceList") return { BulkActions: texts.BulkActions };
  // No screen lets its tabs be edited: the dialogs for that have the nested texts.
  if (part === "Tabs")
    return Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === "string"));
  return texts;
}

/**
 * Keeps that data out of the browser's scripts. A text that a script asks for and does not find differs from
 * the server's, so that React throws the server's page away: the build fails instead.
 */
function usedPolarisParts(): Plugin {
  return {
    name: "used-polaris-parts",
    apply: "build",
    enforce: "pre",
    transform(code, id, options) {
      if (options?.ssr) return null;
      if (id.endsWith("@shopify/polaris/locales/en.json")) {
        const { Polaris } = JSON.parse(code) as {
          Polaris: Record<string, Record<string, unknown>>;
        };
        const used = Object.entries(Polaris)
          .filter(([part]) => !UNUSED_TEXTS.test(part))
          .map(([part, texts]) => [part, usedTexts(part, texts)]);
        return { code: JSON.stringify({ Polaris: Object.fromEntries(used) }), map: null };
      }
      if (!id.endsWith("@shopify/polaris-tokens/dist/esm/build/index.mjs")) return null;
      const others = code.indexOf('  "light-mobile": {');
      const end = code.indexOf("\n};\n", others);
      if (others < 0 || end < 0) throw new Error("the themes of Polaris have another form");
      return { code: code.slice(0, others) + code.slice(end + 1), map: null };
    },
    generateBundle(options, bundle) {
      for (const file of Object.values(bundle)) {
        if (options.format !== "es" || file.type !== "chunk") continue;
        for (const [, part = ""] of file.code.matchAll(/["'`]Polaris\.(\w+)\./g))
          if (UNUSED_TEXTS.test(part))
            this.error(
              `${file.fileName} needs Polaris' texts of ${part}: take it off UNUSED_TEXTS`,
            );
      }
    },
  };
}

const VENDOR =
  /\/node_modules\/(react|react-dom|scheduler|react-router|react-router-dom|@remix-run|turbo-stream|i18next|react-i18next)\//;

/**
 * What most screens load. Lists, with the large table of Polaris, opened filters and what few screens need stay
 * apart, and so does what only the screens inside the store admin have.
 */
const COMMON =
  /\/app\/components\/(frame|hooks|i18n|ui)\/(?!filter-controls|format-duration|log-card|preload-screens|responsive-rows|screen-page|use-download|use-job-progress|use-progress|use-question)/;

const fileOf = (id: string): string | undefined =>
  VENDOR.test(id) ? "vendor" : COMMON.test(id) ? "common" : undefined;

/**
 * What every page loads is one file, and what most screens load another: a script of 300 bytes costs the
 * browser more than some unused ones do. Texts have a folder of their own.
 */
function browserChunks(): Plugin {
  return {
    name: "browser-chunks",
    apply: "build",
    config: (_, { isSsrBuild }) =>
      isSsrBuild
        ? {}
        : {
            build: {
              rollupOptions: {
                output: {
                  manualChunks: fileOf,
                  // Otherwise a file takes along all that its modules import.
                  onlyExplicitManualChunks: true,
                  chunkFileNames: ({ facadeModuleId }) =>
                    facadeModuleId?.includes("/app/locales/")
                      ? "assets/locales/[name]-[hash].js"
                      : "assets/[name]-[hash].js",
                },
              },
            },
          },
  };
}

const COMPRESSED = /^assets\/.*\.(js|css|svg)$/;

/** Writes .br and .gz files beside the assets at build time. */
function precompress(): Plugin {
  return {
    name: "precompress",
    apply: (_, { isSsrBuild }) => !isSsrBuild,
    async writeBundle({ dir }, bundle) {
      const files = Object.keys(bundle)
        .filter((name) => COMPRESSED.test(name))
        .map((name) => join(dir as string, name));
      await Promise.all(
        files.map(async (file) => {
          const content = await readFile(file);
          await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
          await writeFile(
            `${file}.br`,
            await promisify(brotliCompress)(content, {
              params: { [constants.BROTLI_PARAM_QUALITY]: 9 },
            }),
          );
        }),
      );
    },
  };
}
