// What stands twice for people's sake is held to its one source.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderDataSheet } from "../../scripts/data-sheet.ts";
import {
  CONFIGURATION_PAGE,
  DECISIONS_PAGE,
  OPERATIONS_PAGE,
  renderEnvironmentExample,
  withConfigurationTable,
  withDecisionList,
  withRetryTable,
} from "../../scripts/write-docs.ts";
import { CUSTOMER_2024_10, CUSTOMER_2026_07 } from "../support/storefront/payloads.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

const markdownIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(folder, file));
/** What the project says about itself to people who read it as text. */
const DOCUMENTS = ["", "docs", "docs/decisions", "examples"]
  .flatMap(markdownIn)
  .filter((file) => file !== "CHANGELOG.md");

/** Topics of webhooks, which look like paths. */
const TOPICS = new Set(["app/uninstalled", "app/scopes_update"]);

describe("every document", () => {
  it("names only files, folders and decisions that are there", () => {
    const named = DOCUMENTS.flatMap((file) =>
      [...read(file).matchAll(/`((?:app|tests|docs|scripts|prisma|extensions)\/[\w./-]+)`/g)].map(
        ([, path]) => [file, path as string] as const,
      ),
    ).filter(([, path]) => !TOPICS.has(path));
    expect(named.length).toBeGreaterThan(150);
    const decisions = readdirSync(join(root, "docs/decisions"));
    const isThere = (path: string) =>
      existsSync(join(root, path)) ||
      decisions.some(
        (file) => path.startsWith("docs/decisions/") && file.startsWith(path.slice(15)),
      );
    expect(named.filter(([, path]) => !isThere(path))).toEqual([]);
  });

  it("names only scripts that package.json has", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = DOCUMENTS.flatMap((file) =>
      [...read(file).matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(
        ([, script]) => [file, script as string] as const,
      ),
    );
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(([, script]) => !Object.hasOwn(scripts, script))).toEqual([]);
  });
});

describe("the documents", () => {
  it("have a page of every setting as the service reads it", () => {
    const page = read(CONFIGURATION_PAGE);
    expect(withConfigurationTable(page)).toBe(page);
  });

  it("have a page with the delays and attempts of the service's retries", () => {
    const page = read(OPERATIONS_PAGE);
    expect(withRetryTable(page)).toBe(page);
  });

  it("have a list of every decision", () => {
    const page = read(DECISIONS_PAGE);
    expect(withDecisionList(page)).toBe(page);
  });

  it("have every setting in .env.example, without the value of a secret", () => {
    expect(read(".env.example")).toBe(renderEnvironmentExample());
  });

  it("have a data sheet that says what the inventory says", () => {
    expect(read("docs/data-sheet.md")).toBe(renderDataSheet());
  });

  it("link from the README to existing files only", () => {
    const targets = [...read("README.md").matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(
      ([, target]) => target as string,
    );
    expect(targets.length).toBeGreaterThan(5);
    expect(targets.filter((target) => !existsSync(join(root, target)))).toEqual([]);
  });

  it("link from the page of security to existing tests and pages only", () => {
    const targets = [...read("docs/security.md").matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(
      ([, target]) => target as string,
    );
    expect(targets.filter((target) => target.startsWith("../tests/")).length).toBeGreaterThan(40);
    expect(targets.filter((target) => !existsSync(join(root, "docs", target)))).toEqual([]);
  });

  it("send the same payloads in the tour as the tests do", () => {
    expect(read("docs/tour/customer-update-2026-07.json")).toBe(CUSTOMER_2026_07);
    expect(read("docs/tour/customer-update-2024-10.json")).toBe(CUSTOMER_2024_10);
  });
});
