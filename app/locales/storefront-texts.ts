// The texts that shoppers read in a store's own pages: banner, compliance page and list of cookies, as they are shipped.
// The order of the languages is the one in which the banner's editor lists them.
import cs from "./storefront/cs.json" with { type: "json" };
import da from "./storefront/da.json" with { type: "json" };
import de from "./storefront/de.json" with { type: "json" };
import el from "./storefront/el.json" with { type: "json" };
import en from "./storefront/en.json" with { type: "json" };
import es from "./storefront/es.json" with { type: "json" };
import fi from "./storefront/fi.json" with { type: "json" };
import fr from "./storefront/fr.json" with { type: "json" };
import hu from "./storefront/hu.json" with { type: "json" };
import it from "./storefront/it.json" with { type: "json" };
import ja from "./storefront/ja.json" with { type: "json" };
import ko from "./storefront/ko.json" with { type: "json" };
import nb from "./storefront/nb.json" with { type: "json" };
import nl from "./storefront/nl.json" with { type: "json" };
import pl from "./storefront/pl.json" with { type: "json" };
import ptBr from "./storefront/pt-BR.json" with { type: "json" };
import ptPt from "./storefront/pt-PT.json" with { type: "json" };
import ro from "./storefront/ro.json" with { type: "json" };
import sv from "./storefront/sv.json" with { type: "json" };
import tr from "./storefront/tr.json" with { type: "json" };

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
  el,
  tr,
  ja,
  ko,
} as const satisfies Record<string, StorefrontTexts>;
