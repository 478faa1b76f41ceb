// The words of the design system's own parts ("Clear all", "Select all"), in the reader's language.

/** Undefined for English, which the design system brings along: only who needs another language is sent one. */
export async function designTranslations(locale: "en" | "es" | "fr") {
  if (locale === "es")
    return (await import("@shopify/polaris/locales/es.json", { with: { type: "json" } })).default;
  if (locale === "fr")
    return (await import("@shopify/polaris/locales/fr.json", { with: { type: "json" } })).default;
  return undefined;
}
