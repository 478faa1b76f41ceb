// `npm run docs:config` writes what is documented from its source:
//   docs/configuration.md, .env.example   the settings
//   docs/operations.md                    the retry table
//   docs/data-sheet.md                    the inventory of what is stored
//   docs/decisions/index.md               the list of decisions
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderDataSheet } from "./data-sheet.ts";
import { BACKOFF_MS } from "../app/domain/bus/retry-policy.ts";
import { SETTINGS } from "../app/runtime/settings.ts";

const root = join(import.meta.dirname, "..");

type Row = {
  about: string;
  default?: string;
  aliases?: readonly string[];
  secret?: true;
  required?: true;
};

export function renderConfigurationTable(): string {
  const rows = Object.entries(SETTINGS as Record<string, Row>).map(
    ([name, { about, aliases = [], required, secret, default: fallback }]) => {
      const names = [name, ...aliases].map((one) => `\`${one}\``).join("<br>");
      const need = required ? "**required**" : fallback !== undefined ? `\`${fallback}\`` : "";
      return `| ${names} | ${need} | ${secret ? "Secret. " : ""}${about} |`;
    },
  );
  return ["| setting | default | what it is for |", "|---|---|---|", ...rows].join("\n");
}

export const CONFIGURATION_PAGE = "docs/configuration.md";

/** The page with a new table. */
export const withConfigurationTable = (page: string): string =>
  withSection(page, "configuration", renderConfigurationTable());

export const OPERATIONS_PAGE = "docs/operations.md";

/** The page with a new table of the retries. */
export function withRetryTable(page: string): string {
  const rows = Object.entries(BACKOFF_MS).map(([priority, delays]) => {
    // The last delay is never waited: the failure before it makes a dead letter.
    const waited = delays.slice(0, -1).map(toDuration).join(", ");
    return `| ${priority} | ${delays.length} | ${waited} |`;
  });
  const table = ["| priority | attempts | delays between them |", "|---|---|---|", ...rows];
  return withSection(page, "retries", table.join("\n"));
}

function toDuration(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 1) return `${ms / 1_000} s`;
  return minutes < 60 ? `${minutes} min` : `${minutes / 60} h`;
}

export const DECISIONS_PAGE = "docs/decisions/index.md";

/** The page with a new list of the decisions beside it. */
export function withDecisionList(page: string): string {
  const folder = join(root, "docs/decisions");
  const links = readdirSync(folder)
    .filter((file) => /^\d+-.*\.md$/.test(file))
    .sort()
    .map((file) => {
      const [title = file] = readFileSync(join(folder, file), "utf8").split("\n", 1);
      return `- [${title.replace(/^# /, "")}](${file})`;
    });
  return withSection(page, "decisions", links.join("\n"));
}

/** The page with new content between the two comments that name the section. */
function withSection(page: string, name: string, content: string): string {
  const open = `<!-- ${name}: written by \`npm run docs:config\` -->`;
  const [start, end] = [page.indexOf(open), page.indexOf(`<!-- /${name} -->`)];
  if (start < 0 || end < start) throw new Error(`the page has no section ${open}`);
  return `${page.slice(0, start)}${open}\n${content}\n${page.slice(end)}`;
}

/** Every setting as a comment; required ones are uncommented. Defaults are shown, secrets have none. */
export function renderEnvironmentExample(): string {
  const settings = Object.entries(SETTINGS as Record<string, Row>).map(
    ([name, { about, required, default: fallback }]) =>
      `# ${about}\n${required ? "" : "# "}${name}=${fallback ?? ""}\n`,
  );
  return [
    "# Written by `npm run docs:config`. Copy it to .env, fill in what stands open, and start with",
    "# `node --env-file=.env app/server.ts`. Without any of it `npm start` runs a sandbox.",
    "",
    ...settings,
  ].join("\n");
}

if (import.meta.main) {
  const rewrite = (file: string, change: (page: string) => string) =>
    writeFileSync(join(root, file), change(readFileSync(join(root, file), "utf8")));
  rewrite(CONFIGURATION_PAGE, withConfigurationTable);
  rewrite(OPERATIONS_PAGE, withRetryTable);
  rewrite(DECISIONS_PAGE, withDecisionList);
  writeFileSync(join(root, ".env.example"), renderEnvironmentExample());
  writeFileSync(join(root, "docs/data-sheet.md"), renderDataSheet());
}
