// What the editor needs beside the store's own work: the shipped texts, and the length that each may have.
import type { Tenant } from "../tenant.ts";
import { maxLengthOf } from "./banner-design.ts";
import {
  BANNER_LANGUAGES,
  BANNER_TEXT_NAMES,
  findBannerLanguage,
  shippedTexts,
  type BannerLanguage,
  type BannerTextName,
  type BannerTexts,
} from "./banner-texts.ts";

export type BannerEditorFacts = {
  /** The store's own language. */
  language: BannerLanguage;
  languages: { code: BannerLanguage; name: string }[];
  shipped: Record<BannerLanguage, BannerTexts>;
  maxLengths: Record<BannerTextName, number>;
  hasPrivacy: boolean;
  hasTerms: boolean;
};

export function readEditorFacts({ config }: Pick<Tenant, "config">): BannerEditorFacts {
  return {
    language: findBannerLanguage(config.locale) ?? "en",
    languages: BANNER_LANGUAGES.map((code) => ({ code, name: nameOf(code) })),
    shipped: Object.fromEntries(
      BANNER_LANGUAGES.map((code) => [code, shippedTexts(code)]),
    ) as BannerEditorFacts["shipped"],
    maxLengths: Object.fromEntries(
      BANNER_TEXT_NAMES.map((name) => [name, maxLengthOf(name)]),
    ) as BannerEditorFacts["maxLengths"],
    hasPrivacy: config.privacy_url !== undefined,
    hasTerms: config.terms_url !== undefined,
  };
}

/** In the language itself: named here, so that the server and the browser show the same. */
function nameOf(code: BannerLanguage): string {
  const name = new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}
