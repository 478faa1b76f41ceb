// The texts of all screens, for rendering on the server.
import type { ResourceLanguage } from "i18next";
import { filesOf } from "./locale-files.ts";
import { localeOf, type Locale } from "./locale.ts";

// The same patterns stand in load-translations.ts, because Vite reads them where they are used.
const FILES = import.meta.glob<ResourceLanguage[string]>(
  [
    "../../locales/*/**/*.json",
    "!../../locales/*/embeds/**",
    "!../../locales/storefront/**",
    "!**/mails.json",
  ],
  { eager: true, import: "default" },
);

export const translationsOf = (locale: Locale): ResourceLanguage => filesOf(locale, FILES);

/** One text in the language of the request, for a document's title. */
export function textOf(request: Request, namespace: string, key: string): string {
  let found: unknown = translationsOf(localeOf(request))[namespace];
  for (const part of key.split(".")) found = (found as Record<string, unknown>)[part];
  return String(found);
}
