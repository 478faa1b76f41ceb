// What each error code says to a person, for files that are no screens. Imported one by one: Node loads
// those without Vite.
import en from "../../locales/en/errors.json" with { type: "json" };
import es from "../../locales/es/errors.json" with { type: "json" };
import fr from "../../locales/fr/errors.json" with { type: "json" };
import type { Locale } from "./locale.ts";

export const errorSentences: Record<Locale, Partial<Record<string, string>>> = { en, es, fr };
