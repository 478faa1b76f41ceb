// The texts that shoppers read in a store's own pages: banner, compliance page and list of cookies, as they are shipped,
// in folders by family of languages.
// The order of the languages is the one in which the banner's editor lists them.
import da from "./storefront/germanic/da.json" with { type: "json" };
import de from "./storefront/germanic/de.json" with { type: "json" };
import en from "./storefront/germanic/en.json" with { type: "json" };
import nb from "./storefront/germanic/nb.json" with { type: "json" };
import nl from "./storefront/germanic/nl.json" with { type: "json" };
import sv from "./storefront/germanic/sv.json" with { type: "json" };
import ar from "./storefront/other-families/ar.json" with { type: "json" };
import el from "./storefront/other-families/el.json" with { type: "json" };
import et from "./storefront/other-families/et.json" with { type: "json" };
import fi from "./storefront/other-families/fi.json" with { type: "json" };
import he from "./storefront/other-families/he.json" with { type: "json" };
import hu from "./storefront/other-families/hu.json" with { type: "json" };
import ja from "./storefront/other-families/ja.json" with { type: "json" };
import ko from "./storefront/other-families/ko.json" with { type: "json" };
import lt from "./storefront/other-families/lt.json" with { type: "json" };
import lv from "./storefront/other-families/lv.json" with { type: "json" };
import tr from "./storefront/other-families/tr.json" with { type: "json" };
import zhCn from "./storefront/other-families/zh-CN.json" with { type: "json" };
import zhTw from "./storefront/other-families/zh-TW.json" with { type: "json" };
import es from "./storefront/romance/es.json" with { type: "json" };
import fr from "./storefront/romance/fr.json" with { type: "json" };
import it from "./storefront/romance/it.json" with { type: "json" };
import ptBr from "./storefront/romance/pt-BR.json" with { type: "json" };
import ptPt from "./storefront/romance/pt-PT.json" with { type: "json" };
import ro from "./storefront/romance/ro.json" with { type: "json" };
import bg from "./storefront/slavic/bg.json" with { type: "json" };
import cs from "./storefront/slavic/cs.json" with { type: "json" };
import hr from "./storefront/slavic/hr.json" with { type: "json" };
import pl from "./storefront/slavic/pl.json" with { type: "json" };
import sk from "./storefront/slavic/sk.json" with { type: "json" };
import sl from "./storefront/slavic/sl.json" with { type: "json" };

type StorefrontTexts = typeof en;

export const STOREFRONT_TEXTS = {
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
  bg,
  hr,
  sk,
  sl,
  lt,
  lv,
  et,
  el,
  tr,
  ar,
  he,
  ja,
  ko,
  "zh-CN": zhCn,
  "zh-TW": zhTw,
} as const satisfies Record<string, StorefrontTexts>;
