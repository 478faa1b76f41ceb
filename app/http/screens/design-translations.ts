// The translations of Polaris' own texts ("Clear all", "Select all").
import type { Language } from "../../locales/languages.ts";

/** Undefined for English, Polaris' default. */
export async function designTranslations(locale: Language) {
  if (locale === "es")
    return (await import("@shopify/polaris/locales/es.json", { with: { type: "json" } })).default;
  if (locale === "fr")
    return (await import("@shopify/polaris/locales/fr.json", { with: { type: "json" } })).default;
  return undefined;
}
