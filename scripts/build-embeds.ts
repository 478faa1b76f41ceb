// Bundles and minifies the scripts and styles of the embeds into app/generated/embeds, each as a text that the embeds put
// into what they serve. Runs in scripts/ensure.mjs beside the database client: production needs no build tool.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, transformWithEsbuild, type Rollup } from "vite";

const root = join(import.meta.dirname, "..");
const sources = join(root, "app/embeds/scripts");
const target = join(root, "app/generated/embeds");

async function bundle(name: string): Promise<string> {
  const made = (await build({
    configFile: false,
    logLevel: "error",
    build: { write: false, minify: "esbuild", target: "es2020", lib: { entry: join(sources, `${name}.ts`), formats: ["iife"], name: "crm" } },
  })) as Rollup.RollupOutput[];
  return (made[0]?.output[0].code ?? "").trim();
}

async function minifyStyle(name: string): Promise<string> {
  const { code } = await transformWithEsbuild(readFileSync(join(sources, `${name}.css`), "utf8"), `${name}.css`, { loader: "css", minify: true, sourcemap: false });
  return code.trim();
}

const asTable = (name: string, entries: [string, string][]) => `export const ${name} = ${JSON.stringify(Object.fromEntries(entries), null, 2)};\n`;
const scripts = await Promise.all(["stack-loader", "consent-choices"].map(async (name): Promise<[string, string]> => [name, await bundle(name)]));
const styles = await Promise.all(["footer", "compliance"].map(async (name): Promise<[string, string]> => [name, await minifyStyle(name)]));
mkdirSync(target, { recursive: true });
writeFileSync(join(target, "scripts.ts"), `// Made by scripts/build-embeds.ts from app/embeds/scripts.\n${asTable("SCRIPTS", scripts)}${asTable("STYLES", styles)}`);
