import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { vitePlugin as remix } from "@remix-run/dev";
import { defineConfig, type Plugin } from "vite";

export default defineConfig({
  plugins: [
    serverCodeOnce(),
    endpointsStayOnServer(),
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
  build: { assetsInlineLimit: 0 },
  // Named, not discovered: what development discovers on the way ends in a second copy of React for the first visitor.
  optimizeDeps: {
    noDiscovery: true,
    include: [
      "react",
      "react/jsx-runtime",
      "react/jsx-dev-runtime",
      "react-dom",
      "react-dom/client",
      "@remix-run/react",
      "@shopify/app-bridge-react",
      "@shopify/polaris",
      "@shopify/shopify-app-remix/react",
    ],
  },
});

const ROOT = import.meta.dirname;
const isOurs = (file: string) =>
  /^app\/(domain|http|integrations|runtime)\//.test(relative(ROOT, file));

/**
 * The process runs this code from its sources. A second copy inside the bundle would have its own error classes, so that
 * `instanceof` fails between the two, its own caches and its own idea of where its files lie.
 */
function serverCodeOnce(): Plugin {
  return {
    name: "server-code-once",
    apply: "build",
    enforce: "pre",
    // Relative to the built file, so that the project may be moved after it was built; on the server there is one file, also
    // of what browsers load when it is asked for, or these paths would not hold in the others.
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

/** A route without a screen has nothing for the browser; left alone, the client build would walk through all it imports. */
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

const COMPRESSED = /^assets\/.*\.(js|css|svg)$/;

/** Writes .br and .gz beside the assets once, so that no request pays for it. */
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
