// The banner's texts as they are shipped, in every language that a shopper can read it in. A store may replace
// each of them in a banner of its own (banner-design.ts).
import { STOREFRONT_TEXTS } from "../../../locales/storefront-texts.ts";

export type BannerLanguage = keyof typeof STOREFRONT_TEXTS;
export type BannerTexts = (typeof STOREFRONT_TEXTS)["en"]["banner"];
export type BannerTextName = keyof BannerTexts;

export const BANNER_LANGUAGES = Object.keys(STOREFRONT_TEXTS) as BannerLanguage[];
export const BANNER_TEXT_NAMES = Object.keys(STOREFRONT_TEXTS.en.banner) as BannerTextName[];

/** Languages whose code differs from the one that the texts are stored under. */
const SAME: Readonly<Record<string, BannerLanguage>> = { pt: "pt-PT", no: "nb", nn: "nb" };

/** Null for a language without texts. Other regions of a language get that language's texts. */
export function findBannerLanguage(locale: string | null | undefined): BannerLanguage | null {
  const [language = "", region = ""] = (locale ?? "").split("-");
  const name = language.toLowerCase();
  return (
    BANNER_LANGUAGES.find((one) => one === `${name}-${region.toUpperCase()}`) ??
    BANNER_LANGUAGES.find((one) => one === name) ??
    (Object.hasOwn(SAME, name) ? (SAME[name] as BannerLanguage) : null)
  );
}

export const shippedTexts = (language: BannerLanguage): BannerTexts =>
  STOREFRONT_TEXTS[language].banner;
