// The App Store listing keeps the limits of the platform's form.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/source-files.ts";

const folder = join(root, "docs/listing");
const page = readFileSync(join(folder, "README.md"), "utf8");

/** The quoted text below a heading, its lines joined. */
function textOf(heading: string): string {
  const section = page.split(`### ${heading}\n`)[1]?.split("\n#")[0] ?? "";
  return [...section.matchAll(/^> (.*)$/gm)].map(([, line]) => line).join(" ");
}

const LIMITS = {
  "App name": 30,
  "App card subtitle": 62,
  Introduction: 100,
  Details: 500,
} as const;

test.each(Object.entries(LIMITS))("%s has at most %i characters", (heading, limit) => {
  expect(textOf(heading).length).toBeGreaterThan(10);
  expect(textOf(heading).length).toBeLessThanOrEqual(limit);
});

test("every feature has at most 80 characters", () => {
  const features = textOf("Features")
    .split(/(?:^| )- /)
    .filter(Boolean);
  expect(features).toHaveLength(5);
  expect(features.filter((feature) => feature.length > 80)).toEqual([]);
});

test("the app has the name of its manifest", () => {
  const manifest = readFileSync(join(root, "shopify.app.toml"), "utf8");
  expect(manifest).toContain(`\nname = "${textOf("App name")}"\n`);
});

/** Width and height from a PNG's header. */
function sizeOf(file: string): [number, number] {
  const bytes = readFileSync(file);
  expect(bytes.subarray(1, 4).toString("latin1")).toBe("PNG");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

test("six pictures of 1600 x 900, each below 500 kB and with a text of at most 64 characters", () => {
  const pictures = readdirSync(folder).filter((name) => name.endsWith(".png"));
  expect(pictures).toHaveLength(6);
  for (const name of pictures) {
    expect([name, ...sizeOf(join(folder, name))]).toEqual([name, 1_600, 900]);
    expect(statSync(join(folder, name)).size).toBeLessThan(500_000);
    const [, text = ""] = new RegExp(`\\[${name}\\]\\(${name}\\) \\| (.+) \\|`).exec(page) ?? [];
    expect(text.length).toBeGreaterThan(10);
    expect([name, text.length <= 64]).toEqual([name, true]);
  }
});

test("the icon is 1200 x 1200", () => {
  expect(sizeOf(join(root, "public/app-icon.png"))).toEqual([1_200, 1_200]);
});

test("links of the listing lead to existing files", () => {
  for (const file of ["docs/listing/README.md", "docs/listing/review.md"])
    for (const [, target] of readFileSync(join(root, file), "utf8").matchAll(
      /\]\((?!https?:)([^)#]+)\)/g,
    ))
      expect(() => statSync(join(folder, target as string))).not.toThrow();
});
