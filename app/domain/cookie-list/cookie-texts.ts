// The texts of the list of cookies: its headings in the languages of the banner, what each cookie is for in three of
// them, and durations in any.
import type { BannerLanguage } from "../tenants/banner/banner-texts.ts";
import usesEn from "../../locales/en/consent/cookie-uses.json" with { type: "json" };
import usesEs from "../../locales/es/consent/cookie-uses.json" with { type: "json" };
import usesFr from "../../locales/fr/consent/cookie-uses.json" with { type: "json" };
import { STOREFRONT_TEXTS } from "../../locales/storefront-texts.ts";
import type { ListedCookie } from "./cookie-list.ts";
import type { CookieUse, Lasts } from "./known-cookies.ts";

export type CookieTexts = (typeof STOREFRONT_TEXTS)["en"]["cookies"];

export const cookieTexts = (language: BannerLanguage): CookieTexts =>
  STOREFRONT_TEXTS[language].cookies;

type Uses = Record<CookieUse, string>;
const USES: Partial<Record<BannerLanguage, Uses>> & { en: Uses } = {
  en: usesEn.uses,
  es: usesEs.uses,
  fr: usesFr.uses,
};

/** A row as shoppers read it. */
export type SpokenCookie = Pick<ListedCookie, "name" | "provider" | "purpose"> & {
  use: string;
  /** The language of `use`; null for the merchant's own words. */
  lang: BannerLanguage | null;
  duration: string;
};

export function toSpokenCookie(language: BannerLanguage, cookie: ListedCookie): SpokenCookie {
  const { name, provider, purpose, text } = cookie;
  const row = { name, provider, purpose };
  if (text.by === "merchant") return { ...row, use: text.use, lang: null, duration: text.duration };
  const own = USES[language];
  return {
    ...row,
    use: (own ?? USES.en)[text.use],
    lang: own ? language : "en",
    duration: durationText(language, text.lasts),
  };
}

/** "2 years", "2 ans". */
export function durationText(language: BannerLanguage, lasts: Lasts): string {
  if (lasts === "session" || lasts === "kept") return cookieTexts(language)[lasts];
  const [count, unit] = lasts;
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(
    count,
  );
}
