// Writes the table of docs/configuration.md and .env.example from the settings themselves, and
// docs/data-sheet.md from the inventory of what is stored: `npm run docs:config`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderDataSheet } from "./data-sheet.ts";
import { SETTINGS } from "../app/runtime/settings.ts";

const START = "<!-- configuration: written by `npm run docs:config` -->";
const END = "<!-- /configuration -->";

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
export function withConfigurationTable(page: string): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${CONFIGURATION_PAGE} has no ${START} ... ${END}`);
  return `${page.slice(0, start)}${START}\n${renderConfigurationTable()}\n${page.slice(end)}`;
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
  const root = join(import.meta.dirname, "..");
  const page = readFileSync(join(root, CONFIGURATION_PAGE), "utf8");
  writeFileSync(join(root, CONFIGURATION_PAGE), withConfigurationTable(page));
  writeFileSync(join(root, ".env.example"), renderEnvironmentExample());
  writeFileSync(join(root, "docs/data-sheet.md"), renderDataSheet());
}
