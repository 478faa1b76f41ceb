// The languages of the screens, and how a request and a component find theirs.
import { useTranslation } from "react-i18next";
import { LANGUAGES, type Language } from "../../locales/languages.ts";

export type Locale = Language;

/** Namespaces that every screen uses. */
export const COMMON_NAMESPACES = ["frame", "errors", "glossary"] as const;

const isLocale = (language: string | undefined): language is Locale =>
  LANGUAGES.some((locale) => locale === language);

export const toLocale = (language: string | undefined): Locale =>
  isLocale(language) ? language : "en";

/** The language that dates and numbers are formatted for. */
export const useLocale = (): Locale => toLocale(useTranslation().i18n.language);

/** The first supported language of: the admin's own (`?locale=`), then those of the browser. */
export function localeOf(request: Request): Locale {
  const asked = [
    new URL(request.url).searchParams.get("locale") ?? "",
    ...(request.headers.get("Accept-Language") ?? "").split(","),
  ];
  return asked.map((tag) => tag.trim().slice(0, 2).toLowerCase()).find(isLocale) ?? "en";
}
