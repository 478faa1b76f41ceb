/** The app's triggers and actions, as a deploy tells the platform: the extensions' own files. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../../../../extensions/", import.meta.url));

export type DeclaredField = {
  type: string;
  key?: string;
  name?: string;
  description?: string;
  required?: boolean;
};
export type FlowExtension = {
  type: "flow_trigger" | "flow_action";
  name: string;
  handle: string;
  uid: string;
  description: string;
  /** An action's address, below the app's. */
  runtimeUrl: string;
  fields: DeclaredField[];
};

const PAIR = /^(\w+) = (".*"|true|false)$/;

type Section = Record<string, string | boolean>;

/** The tables under `heading`, each with the pairs before the next heading. */
function sections(text: string, heading: string): Section[] {
  const found: Section[] = [];
  let current: Section | null = null;
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line.startsWith("[")) {
      current = line === heading ? {} : null;
      if (current) found.push(current);
    }
    const [, key, value] = PAIR.exec(line) ?? [];
    if (current && key && value) current[key] = JSON.parse(value) as string | boolean;
  }
  return found;
}

function read(path: string): FlowExtension | null {
  const text = readFileSync(path, "utf8");
  const [own = {}] = sections(text, "[[extensions]]");
  if (own.type !== "flow_trigger" && own.type !== "flow_action") return null;
  const textAt = (key: string) => String(own[key] ?? "");
  return {
    type: own.type,
    name: textAt("name"),
    handle: textAt("handle"),
    uid: textAt("uid"),
    description: textAt("description"),
    runtimeUrl: textAt("runtime_url"),
    fields: sections(text, "[[settings.fields]]") as DeclaredField[],
  };
}

let known: FlowExtension[] | null = null;

/** None in an installation that has only the files the service needs at run time. */
export function flowExtensions(): FlowExtension[] {
  known ??= existsSync(FOLDER)
    ? readdirSync(FOLDER)
        .map((folder) => join(FOLDER, folder, "shopify.extension.toml"))
        .filter((path) => existsSync(path))
        .flatMap((path) => read(path) ?? [])
    : [];
  return known;
}

export const findFlowExtension = (
  type: FlowExtension["type"],
  handle: string,
): FlowExtension | undefined =>
  flowExtensions().find((one) => one.type === type && one.handle === handle);
