// The banner's texts as they are shipped, in every language that a shopper can read it in. A store may replace
// each of them in a banner of its own (banner-design.ts).
import cs from "../../../locales/storefront/banner/cs.json" with { type: "json" };
import da from "../../../locales/storefront/banner/da.json" with { type: "json" };
import de from "../../../locales/storefront/banner/de.json" with { type: "json" };
import el from "../../../locales/storefront/banner/el.json" with { type: "json" };
import en from "../../../locales/storefront/banner/en.json" with { type: "json" };
import es from "../../../locales/storefront/banner/es.json" with { type: "json" };
import fi from "../../../locales/storefront/banner/fi.json" with { type: "json" };
import fr from "../../../locales/storefront/banner/fr.json" with { type: "json" };
import hu from "../../../locales/storefront/banner/hu.json" with { type: "json" };
import it from "../../../locales/storefront/banner/it.json" with { type: "json" };
import ja from "../../../locales/storefront/banner/ja.json" with { type: "json" };
import ko from "../../../locales/storefront/banner/ko.json" with { type: "json" };
import nb from "../../../locales/storefront/banner/nb.json" with { type: "json" };
import nl from "../../../locales/storefront/banner/nl.json" with { type: "json" };
import pl from "../../../locales/storefront/banner/pl.json" with { type: "json" };
import ptBr from "../../../locales/storefront/banner/pt-BR.json" with { type: "json" };
import ptPt from "../../../locales/storefront/banner/pt-PT.json" with { type: "json" };
import ro from "../../../locales/storefront/banner/ro.json" with { type: "json" };
import sv from "../../../locales/storefront/banner/sv.json" with { type: "json" };
import tr from "../../../locales/storefront/banner/tr.json" with { type: "json" };

export type BannerTexts = typeof en;
export type BannerTextName = keyof BannerTexts;

const SHIPPED = {
  en,
  es,
  fr,
  de,
  it,
  "pt-BR": ptBr,
  "pt-PT": ptPt,
  nl,
  da,
  sv,
  nb,
  fi,
  pl,
  cs,
  hu,
  ro,
  el,
  tr,
  ja,
  ko,
} as const satisfies Record<string, BannerTexts>;

export type BannerLanguage = keyof typeof SHIPPED;
export const BANNER_LANGUAGES = Object.keys(SHIPPED) as BannerLanguage[];
export const BANNER_TEXT_NAMES = Object.keys(en) as BannerTextName[];

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

export const shippedTexts = (language: BannerLanguage): BannerTexts => SHIPPED[language];
