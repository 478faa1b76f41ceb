import { createInstance, type i18n, type ResourceLanguage } from "i18next";
import { initReactI18next } from "react-i18next";
import type { Locale } from "./locale.ts";

/** An instance has one language: a page renders in the language of its frame's loader. */
export async function createI18n(locale: Locale, texts: ResourceLanguage): Promise<i18n> {
  const instance = createInstance();
  await instance.use(initReactI18next).init({
    lng: locale,
    fallbackLng: false,
    defaultNS: "frame",
    resources: { [locale]: texts },
    // React escapes.
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  });
  return instance;
}
