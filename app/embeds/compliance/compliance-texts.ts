// The texts of the compliance page beside those of its choices, in the languages of the banner.
import type { BannerLanguage } from "../../domain/tenants/banner/banner-texts.ts";
import cs from "../../locales/storefront/compliance/cs.json" with { type: "json" };
import da from "../../locales/storefront/compliance/da.json" with { type: "json" };
import de from "../../locales/storefront/compliance/de.json" with { type: "json" };
import el from "../../locales/storefront/compliance/el.json" with { type: "json" };
import en from "../../locales/storefront/compliance/en.json" with { type: "json" };
import es from "../../locales/storefront/compliance/es.json" with { type: "json" };
import fi from "../../locales/storefront/compliance/fi.json" with { type: "json" };
import fr from "../../locales/storefront/compliance/fr.json" with { type: "json" };
import hu from "../../locales/storefront/compliance/hu.json" with { type: "json" };
import it from "../../locales/storefront/compliance/it.json" with { type: "json" };
import ja from "../../locales/storefront/compliance/ja.json" with { type: "json" };
import ko from "../../locales/storefront/compliance/ko.json" with { type: "json" };
import nb from "../../locales/storefront/compliance/nb.json" with { type: "json" };
import nl from "../../locales/storefront/compliance/nl.json" with { type: "json" };
import pl from "../../locales/storefront/compliance/pl.json" with { type: "json" };
import ptBr from "../../locales/storefront/compliance/pt-BR.json" with { type: "json" };
import ptPt from "../../locales/storefront/compliance/pt-PT.json" with { type: "json" };
import ro from "../../locales/storefront/compliance/ro.json" with { type: "json" };
import sv from "../../locales/storefront/compliance/sv.json" with { type: "json" };
import tr from "../../locales/storefront/compliance/tr.json" with { type: "json" };

export type ComplianceTexts = typeof en;

const TEXTS: Record<BannerLanguage, ComplianceTexts> = {
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

export const complianceTexts = (language: BannerLanguage): ComplianceTexts => TEXTS[language];
