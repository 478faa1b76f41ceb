// The source files, as the tests of the structure read them.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative, resolve, sep } from "node:path";
import { expect } from "vitest";

export const root = resolve(import.meta.dirname, "../..");
const SOURCE = /\.(ts|tsx|mjs|js)$/;

/** Files of every kind, also texts and styles. */
export function allFilesBelow(folder: string): string[] {
  return (
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      // Packages that a benchmark installed beside itself are not ours.
      .filter((entry) => !entry.parentPath.split(sep).includes("node_modules"))
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((file) => !file.startsWith("app/generated/"))
      .sort()
  );
}

export const filesBelow = (folder: string): string[] =>
  allFilesBelow(folder).filter((file) => SOURCE.test(file));

/** Fails with each finding and the reason of the rule. */
export function expectNone(found: Iterable<string>, why: string): void {
  expect([...new Set(found)].map((one) => `${one}: ${why}`)).toEqual([]);
}

export const below =
  (...folders: string[]) =>
  (path: string) =>
    folders.some(
      (folder) => path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`),
    );

type Import = { file: string; target: string; isType: boolean };

/** The imports of a file: a path of ours from the root of the project, or a package's name. */
export function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const found = text.matchAll(
    /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?["']([^"']+)["']|\bimport\(\s*(?:\/\*.*?\*\/\s*)?["']([^"']+)["']\s*\)/gm,
  );
  return [...found].map(([, type, fixed, dynamic]) => {
    const name = (fixed ?? dynamic) as string;
    const target = name.startsWith("~/")
      ? join("app", name.slice(2))
      : name.startsWith(".")
        ? normalize(join(dirname(file), name))
        : name;
    return { file, target, isType: Boolean(type) };
  });
}
