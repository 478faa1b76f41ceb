// The texts of the list of cookies: its headings in the languages of the banner, what each cookie is for in three of
// them, and durations in any.
import type { BannerLanguage } from "../tenants/banner/banner-texts.ts";
import cs from "../../locales/storefront/cookies/cs.json" with { type: "json" };
import da from "../../locales/storefront/cookies/da.json" with { type: "json" };
import de from "../../locales/storefront/cookies/de.json" with { type: "json" };
import el from "../../locales/storefront/cookies/el.json" with { type: "json" };
import en from "../../locales/storefront/cookies/en.json" with { type: "json" };
import es from "../../locales/storefront/cookies/es.json" with { type: "json" };
import fi from "../../locales/storefront/cookies/fi.json" with { type: "json" };
import fr from "../../locales/storefront/cookies/fr.json" with { type: "json" };
import hu from "../../locales/storefront/cookies/hu.json" with { type: "json" };
import it from "../../locales/storefront/cookies/it.json" with { type: "json" };
import ja from "../../locales/storefront/cookies/ja.json" with { type: "json" };
import ko from "../../locales/storefront/cookies/ko.json" with { type: "json" };
import nb from "../../locales/storefront/cookies/nb.json" with { type: "json" };
import nl from "../../locales/storefront/cookies/nl.json" with { type: "json" };
import pl from "../../locales/storefront/cookies/pl.json" with { type: "json" };
import ptBr from "../../locales/storefront/cookies/pt-BR.json" with { type: "json" };
import ptPt from "../../locales/storefront/cookies/pt-PT.json" with { type: "json" };
import ro from "../../locales/storefront/cookies/ro.json" with { type: "json" };
import sv from "../../locales/storefront/cookies/sv.json" with { type: "json" };
import tr from "../../locales/storefront/cookies/tr.json" with { type: "json" };
import usesEn from "../../locales/en/consent/cookie-uses.json" with { type: "json" };
import usesEs from "../../locales/es/consent/cookie-uses.json" with { type: "json" };
import usesFr from "../../locales/fr/consent/cookie-uses.json" with { type: "json" };
import type { ListedCookie } from "./cookie-list.ts";
import type { CookieUse, Lasts } from "./known-cookies.ts";

export type CookieTexts = typeof en;

const TEXTS: Record<BannerLanguage, CookieTexts> = {
  cs,
  da,
  de,
  el,
  en,
  es,
  fi,
  fr,
  hu,
  it,
  ja,
  ko,
  nb,
  nl,
  pl,
  "pt-BR": ptBr,
  "pt-PT": ptPt,
  ro,
  sv,
  tr,
};

export const cookieTexts = (language: BannerLanguage): CookieTexts => TEXTS[language];

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
  if (lasts === "session" || lasts === "kept") return TEXTS[language][lasts];
  const [count, unit] = lasts;
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(
    count,
  );
}
