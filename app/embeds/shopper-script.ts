// The script of a shopper's page: its modules in one file, types and comments left out. Made once per process from the
// sources that stand beside it, so that what is read here is what a browser runs.
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import type { ShopperPage } from "./shopper-page.ts";

const SOURCES = new URL("./shopper/", import.meta.url);
const IMPORT = /^import (\{[^}]*\}) from "\.\/([\w-]+)\.ts";\n/gm;
const EXPORTED = /^export (?:async )?(?:function|const) (\w+)/gm;
const made = new Map<ShopperPage, string>();

export function shopperScript(page: ShopperPage): string {
  const known = made.get(page);
  if (known) return known;
  const modules = new Map<string, string>();
  collect(page, modules);
  const script = `(()=>{"use strict";\n${[...modules.values()].join("")}})();\n`;
  made.set(page, script);
  return script;
}

const nameOf = (module: string) => `$${module.replaceAll("-", "_")}`;

/** A module after those that it imports, in a scope of its own. */
function collect(module: string, modules: Map<string, string>): void {
  if (modules.has(module)) return;
  const source = readFileSync(new URL(`${module}.ts`, SOURCES), "utf8");
  for (const [, , imported] of source.matchAll(IMPORT)) collect(imported as string, modules);
  const exported = [...source.matchAll(EXPORTED)].map(([, name]) => name).join(",");
  modules.set(module, `const ${nameOf(module)}=(()=>{\n${toBrowser(source)}\nreturn{${exported}};})();\n`);
}

function toBrowser(source: string): string {
  const linked = source.replace(IMPORT, (_, names: string, imported: string) => `const ${names.replace(/\btype \w+,? ?/g, "")} = ${nameOf(imported)};\n`).replace(/^export /gm, "").replace(/^import type [^;]*;\n/gm, "");
  return withoutWarning(() => stripTypeScriptTypes(linked))
    .split("\n").map((line) => line.trim()).filter((line) => line !== "" && line !== ";" && !/^(\/\/|\/?\*)/.test(line)).join("\n");
}

/** Node runs the whole service by the same stripping, but calls its own door to it experimental, on our log's stream. */
function withoutWarning<T>(act: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return act();
  } finally {
    process.emitWarning = emitWarning;
  }
}
