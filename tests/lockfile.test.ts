// Guards package-lock.json against two faults that a green `npm install` hides and the next `npm ci` shows.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
}
const text = readFileSync(join(import.meta.dirname, "../package-lock.json"), "utf8");
const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };

test("every optional dependency of every package is locked", () => {
  // A registry that lacks some platforms' packages makes npm write a lock without them, and `npm ci` refuses that lock.
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

/** Looks where Node would: below the package itself, then below each package around it. */
function isLocked(path: string, name: string): boolean {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules/") - 1))) {
    if (packages[`${at ? `${at}/` : ""}node_modules/${name}`]) return true;
    if (at === "") return false;
  }
}
