// The language of a screen. Each screen keeps its words beside it, in every language, and asks for those of the reader.
import { createContext, useContext, type ReactNode } from "react";

const LOCALES = ["en", "es", "fr"] as const;
export type Locale = (typeof LOCALES)[number];
export type Words<T> = Record<Locale, T>;

const Language = createContext<Locale>("en");

export function SpokenIn({ locale, children }: { locale: Locale; children: ReactNode }) {
  return <Language.Provider value={locale}>{children}</Language.Provider>;
}

export const useLocale = (): Locale => useContext(Language);

/** Those of the reader's language. */
export function useWords<T>(words: Words<T>): T {
  return words[useLocale()];
}

/** The first of these languages that we speak: the admin's own (`?locale=`), then what the browser asks for. */
export function localeOf(request: Request): Locale {
  const asked = [
    new URL(request.url).searchParams.get("locale") ?? "",
    ...(request.headers.get("Accept-Language") ?? "").split(","),
  ];
  const spoken = asked.map((tag) => tag.trim().slice(0, 2).toLowerCase());
  return (
    LOCALES.find(
      (locale) => locale === spoken.find((language) => LOCALES.some((known) => known === language)),
    ) ?? "en"
  );
}
