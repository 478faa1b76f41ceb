// Bundles the UI extensions for the sandbox: a script for each target, as the Shopify CLI makes one, and the
// runtime that they run in.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Rollup } from "vite";

const root = join(import.meta.dirname, "../..");
const extensions = join(root, "extensions");

type Entry = { name: string; source: string };

/** The scripts of an extension's targets, by handle and target. */
function entriesOf(folder: string): Entry[] {
  const manifest = join(extensions, folder, "shopify.extension.toml");
  const text = existsSync(manifest) ? readFileSync(manifest, "utf8") : "";
  if (!/^type = "ui_extension"$/m.test(text)) return [];
  const handle = /^handle = "([\w-]+)"$/m.exec(text)?.[1];
  return text
    .split("[[extensions.targeting]]")
    .slice(1)
    .map((section) => ({
      name: `${handle}--${/^\s*target = "([\w.-]+)"$/m.exec(section)?.[1]}`,
      source: join(extensions, folder, /^\s*module = "([\w./-]+)"$/m.exec(section)?.[1] ?? ""),
    }));
}

async function bundle(entry: string, isExtension: boolean): Promise<string> {
  const made = (await build({
    configFile: false,
    logLevel: "error",
    ...(isExtension && {
      // The service's address is a value of the build; the sandbox hands it over when it starts the script.
      define: { "process.env.APP_URL": "APP_URL" },
      esbuild: { jsx: "automatic", jsxImportSource: "preact" },
      resolve: {
        alias: [
          {
            find: "@shopify/ui-extensions/preact",
            replacement: join(import.meta.dirname, "preact-setup.ts"),
          },
        ],
      },
    }),
    build: {
      write: false,
      minify: "esbuild",
      target: "es2022",
      lib: { entry, formats: ["iife"], name: "main" },
    },
  })) as Rollup.RollupOutput[];
  return (made[0]?.output[0].code ?? "").trim();
}

export async function bundleUiExtensions(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const runtime = join(root, "app/sandbox/ui-extensions/runtime/runtime.ts");
  writeFileSync(join(target, "runtime.js"), await bundle(runtime, false));
  await Promise.all(
    readdirSync(extensions)
      .flatMap(entriesOf)
      .map(async ({ name, source }) =>
        writeFileSync(join(target, `${name}.js`), await bundle(source, true)),
      ),
  );
}
