// Writes the configuration table of the README and .env.example from the settings themselves, and
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

/** The README with a new table. */
export function withConfigurationTable(readme: string): string {
  const [start, end] = [readme.indexOf(START), readme.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`README.md has no ${START} ... ${END}`);
  return `${readme.slice(0, start)}${START}\n${renderConfigurationTable()}\n${readme.slice(end)}`;
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
  const readme = readFileSync(join(root, "README.md"), "utf8");
  writeFileSync(join(root, "README.md"), withConfigurationTable(readme));
  writeFileSync(join(root, ".env.example"), renderEnvironmentExample());
  writeFileSync(join(root, "docs/data-sheet.md"), renderDataSheet());
}
