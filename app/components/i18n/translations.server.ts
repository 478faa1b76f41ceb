// The texts of all screens, for rendering on the server.
import type { ResourceLanguage } from "i18next";
import { localeOf, type Locale } from "./locale.ts";

const FILES = import.meta.glob<ResourceLanguage[string]>(
  ["../../locales/*/*.json", "!**/mails.json"],
  {
    eager: true,
    import: "default",
  },
);

export function translationsOf(locale: Locale): ResourceLanguage {
  const folder = `/${locale}/`;
  return Object.fromEntries(
    Object.entries(FILES)
      .filter(([path]) => path.includes(folder))
      .map(([path, texts]) => [path.slice(path.lastIndexOf("/") + 1, -".json".length), texts]),
  );
}

/** One text in the language of the request, for a document's title. */
export function textOf(request: Request, namespace: string, key: string): string {
  let found: unknown = translationsOf(localeOf(request))[namespace];
  for (const part of key.split(".")) found = (found as Record<string, unknown>)[part];
  return String(found);
}
