// The banner's texts as they are shipped, in every language that a shopper can read it in. A store may replace
// each of them in a banner of its own (banner-design.ts).
import { STOREFRONT_TEXTS } from "../../../locales/storefront-texts.ts";

export type BannerLanguage = keyof typeof STOREFRONT_TEXTS;
export type BannerTexts = (typeof STOREFRONT_TEXTS)["en"]["banner"];
export type BannerTextName = keyof BannerTexts;

export const BANNER_LANGUAGES = Object.keys(STOREFRONT_TEXTS) as BannerLanguage[];
export const BANNER_TEXT_NAMES = Object.keys(STOREFRONT_TEXTS.en.banner) as BannerTextName[];

/** Codes of languages whose texts are stored under another code. */
export const OTHER_CODES: ReadonlyMap<string, BannerLanguage> = new Map([
  ["iw", "he"],
  ["nn", "nb"],
  ["no", "nb"],
  ["pt", "pt-PT"],
  ["zh", "zh-CN"],
  // Twice, because a theme compares as it is written.
  ["zh-HANT", "zh-TW"],
  ["zh-Hant", "zh-TW"],
  ["zh-HK", "zh-TW"],
  ["zh-MO", "zh-TW"],
]);

/** Null for a language without texts. Other regions of a language get that language's texts. */
export function findBannerLanguage(locale: string | null | undefined): BannerLanguage | null {
  const [language = "", region = ""] = (locale ?? "").split("-");
  const name = language.toLowerCase();
  for (const code of [`${name}-${region.toUpperCase()}`, name]) {
    const found = BANNER_LANGUAGES.find((one) => one === code) ?? OTHER_CODES.get(code);
    if (found) return found;
  }
  return null;
}

const RIGHT_TO_LEFT: ReadonlySet<BannerLanguage> = new Set(["ar", "he"]);

/** For `dir`: how the shipped texts of a language are written. */
export const directionOf = (language: BannerLanguage): "ltr" | "rtl" =>
  RIGHT_TO_LEFT.has(language) ? "rtl" : "ltr";

export const shippedTexts = (language: BannerLanguage): BannerTexts =>
  STOREFRONT_TEXTS[language].banner;
