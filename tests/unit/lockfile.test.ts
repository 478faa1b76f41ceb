// Checks package-lock.json for two faults that `npm install` does not show and the next `npm ci`
// fails on.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
}
const text = readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8");
const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };

test("every optional dependency of every package is locked", () => {
  // With a registry that lacks some platforms' packages npm writes a lock without them, which `npm ci`
  // rejects.
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isLocked(path, name))
      .map(
        (name) =>
          `${path || "this project"} wants ${name}: take an older version whose platform packages all exist`,
      ),
  );
  expect(missing).toEqual([]);
});

test("no package is bound to the registry it was fetched from", () => {
  expect(
    text.match(/"resolved"/g),
    "run npm install with the project's .npmrc (omit-lockfile-registry-resolved)",
  ).toBeNull();
});

/** Resolves as Node does: below the package itself, then below each package around it. */
function isLocked(path: string, name: string): boolean {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules/") - 1))) {
    if (packages[`${at ? `${at}/` : ""}node_modules/${name}`]) return true;
    if (at === "") return false;
  }
}
