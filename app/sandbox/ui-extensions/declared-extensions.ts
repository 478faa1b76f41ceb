/** The app's UI extensions, as a deploy tells the platform: their manifests, texts and built scripts. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../../../extensions/", import.meta.url));
const BUNDLES = fileURLToPath(new URL("../../generated/embeds/ui-extensions/", import.meta.url));

type Texts = { [key: string]: string | Texts };
export type UiExtension = {
  name: string;
  handle: string;
  uid: string;
  apiVersion: string;
  /** Where it may appear. */
  targets: string[];
  /** Whether it may call other hosts. */
  hasNetworkAccess: boolean;
  /** By language. */
  texts: Record<string, Texts>;
  defaultLocale: string;
};

const PAIR = /^(\w+) = (".*"|true|false)$/;

/** The pairs of a manifest, of all its tables, in their order. */
function pairsOf(text: string): [key: string, value: string][] {
  return text.split("\n").flatMap((line): [string, string][] => {
    const [, key, value] = PAIR.exec(line.trim()) ?? [];
    return key && value ? [[key, value.replace(/^"|"$/g, "")]] : [];
  });
}

function readTexts(folder: string): Pick<UiExtension, "texts" | "defaultLocale"> {
  const files = readdirSync(join(folder, "locales")).filter((file) => file.endsWith(".json"));
  const localeOf = (file: string) => file.replace(/(\.default)?\.json$/, "");
  const fallback = files.find((file) => file.endsWith(".default.json"));
  if (!fallback) throw new Error(`${folder} has no default language`);
  return {
    defaultLocale: localeOf(fallback),
    texts: Object.fromEntries(
      files.map((file) => [
        localeOf(file),
        JSON.parse(readFileSync(join(folder, "locales", file), "utf8")) as Texts,
      ]),
    ),
  };
}

function read(folder: string): UiExtension | null {
  const manifest = join(folder, "shopify.extension.toml");
  if (!existsSync(manifest)) return null;
  const pairs = pairsOf(readFileSync(manifest, "utf8"));
  const value = (key: string) => pairs.find(([name]) => name === key)?.[1] ?? "";
  if (value("type") !== "ui_extension") return null;
  return {
    name: value("name"),
    handle: value("handle"),
    uid: value("uid"),
    apiVersion: value("api_version"),
    targets: pairs.filter(([name]) => name === "target").map(([, target]) => target),
    hasNetworkAccess: value("network_access") === "true",
    ...readTexts(folder),
  };
}

let known: UiExtension[] | null = null;

/** None in an installation that has only the files the service needs at run time. */
export function uiExtensions(): UiExtension[] {
  known ??= existsSync(FOLDER)
    ? readdirSync(FOLDER).flatMap((name) => read(join(FOLDER, name)) ?? [])
    : [];
  return known;
}

/** The extension that the app has for a target; undefined where it has none, or where it is not built. */
export const findUiExtension = (target: string): UiExtension | undefined =>
  uiExtensions().find(
    (one) => one.targets.includes(target) && readBundle(one.handle, target) !== null,
  );

/** In the reader's language, where the manifest names a text. */
export function extensionName({ name, texts, defaultLocale }: UiExtension, locale: string): string {
  const key = /^t:(\w+)$/.exec(name)?.[1];
  const found = key === undefined ? name : (texts[locale] ?? texts[defaultLocale])?.[key];
  return typeof found === "string" ? found : name;
}

export function readBundle(handle: string, target: string): string | null {
  const file = join(BUNDLES, `${handle}--${target}.js`);
  return /^[\w.-]+$/.test(handle + target) && existsSync(file) ? readFileSync(file, "utf8") : null;
}

export const readRuntime = (): string => readFileSync(join(BUNDLES, "runtime.js"), "utf8");
