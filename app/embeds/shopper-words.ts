// The words of the shopper's account and dashboard by language.
import { agentWordsOf } from "./agent-page-words.ts";
import { localeOf, type Locale } from "./account-page-words.ts";
import { SHOPPER_EN, type ShopperWords } from "./shopper-words-en.ts";
import { SHOPPER_ES } from "./shopper-words-es.ts";
import { SHOPPER_FR } from "./shopper-words-fr.ts";

const WORDS: Record<Locale, ShopperWords> = { en: SHOPPER_EN, es: SHOPPER_ES, fr: SHOPPER_FR };

export const shopperWordsOf = (locale: string): ShopperWords => WORDS[localeOf(locale)];
/** What an agent may do, as the shopper was asked when it was let in. */
export const scopeWordsOf = (locale: string): Record<string, string> => agentWordsOf(locale).scopes;
