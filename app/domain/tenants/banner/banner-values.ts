// What a page of the store needs of its banner. All of it is public: every shopper receives it.
import { webAddress } from "../web-address.ts";
import type { Tenant } from "../tenant.ts";
import { textsOf, type BannerDesign } from "./banner-design.ts";
import { styleOf } from "./banner-style.ts";
import { findBannerLanguage, type BannerLanguage, type BannerTexts } from "./banner-texts.ts";
import type { PublishedBanner } from "./published-banner.ts";

export type BannerValues = {
  version: number;
  template: BannerDesign["template"];
  position: BannerDesign["position"];
  /** Empty for a store without a banner of its own: the theme's custom properties apply. */
  style: string;
  logo: string | null;
  /** The policies that the banner itself links to; the links below the page name all of them. */
  links: BannerDesign["links"];
  privacy: string | null;
  terms: string | null;
  support: string | null;
  /** The policy's version: another one asks again. */
  policy: string;
};

/** The texts of one language, with its code. */
export type SpokenTexts = BannerTexts & { lang: BannerLanguage };

export function toBannerValues(
  { config }: Pick<Tenant, "config">,
  { version, design }: PublishedBanner,
): BannerValues {
  return {
    version,
    template: design.template,
    position: design.position,
    style: version === 0 ? "" : styleOf(design),
    logo: design.logo_url,
    links: design.links,
    privacy: webAddress(config.privacy_url),
    terms: webAddress(config.terms_url),
    support: config.support_email ?? null,
    policy: config.consent_policy_version ?? "",
  };
}

/** The texts for a reader: in their language, else in the store's. */
export function toSpokenTexts(
  { config }: Pick<Tenant, "config">,
  { design }: PublishedBanner,
  locale?: string | null,
): SpokenTexts {
  const lang = findBannerLanguage(locale) ?? findBannerLanguage(config.locale) ?? "en";
  return { lang, ...textsOf(design, lang) };
}
