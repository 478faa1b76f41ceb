// Writes the configuration table of the README from the settings themselves: `npm run docs:config`, or `-- --check`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

/** The README with its table made anew. */
export function withConfigurationTable(readme: string): string {
  const [start, end] = [readme.indexOf(START), readme.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`README.md has no ${START} ... ${END}`);
  return `${readme.slice(0, start)}${START}\n${renderConfigurationTable()}\n${readme.slice(end)}`;
}

if (import.meta.main) {
  const file = join(import.meta.dirname, "..", "README.md");
  const readme = readFileSync(file, "utf8");
  const next = withConfigurationTable(readme);
  if (process.argv.includes("--check") && next !== readme) {
    process.stderr.write(
      "The configuration table of README.md is out of date: run `npm run docs:config`.\n",
    );
    process.exit(1);
  }
  writeFileSync(file, next);
}
