// The footer with its banner for the pages of a theme, in every language: the platform writes it into the page
// from the app's metafield, so that a page needs no request for it.
import { BANNER_LANGUAGES, OTHER_CODES } from "../domain/tenants/banner/banner-texts.ts";
import { toBannerValues, toSpokenTexts } from "../domain/tenants/banner/banner-values.ts";
import type { PublishedBanner } from "../domain/tenants/banner/published-banner.ts";
import type { ThemeFooters } from "../domain/tenants/banner/theme-footers.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { footerStyle, renderFooterBody } from "./footer.ts";
import { BASE, TOKENS } from "./theme.ts";
import { toPublicConfig } from "./public-config.ts";

/**
 * Stands for the path of the app proxy, which the merchant sets in the theme. It counts only at the beginning of
 * an attribute: a quote in a text is escaped, so that no text can contain `"crm:path/`.
 */
const PATH_MARK = "crm:path";

/** The value's size as JSON: below what the platform stores in a metafield (128 kB). */
const MAX_BYTES = 110_000;

export function renderThemeFooters(
  tenant: Tenant,
  published: PublishedBanner,
  serviceUrl: string,
): ThemeFooters {
  const values = toBannerValues(tenant, published);
  const locale = toSpokenTexts(tenant, published).lang;
  // A banner of the store's own sets every colour itself, and each byte delays the page that contains it.
  const style = footerStyle(values, values.style ? BASE : TOKENS);
  const parts: Record<string, string> = {};
  const otherCodes = Object.fromEntries(OTHER_CODES);
  let size = bytesOf(style);
  // The store's own language first: it is always among those that fit.
  for (const lang of [locale, ...BANNER_LANGUAGES.filter((other) => other !== locale)]) {
    const config = toPublicConfig(tenant, { locale: lang, serviceUrl, pathPrefix: PATH_MARK });
    // The theme's page has the rules by region once, with the loader's values.
    const part = renderFooterBody(
      { ...config, regions: null },
      { values, texts: toSpokenTexts(tenant, published, lang) },
    );
    size += bytesOf(part);
    if (size <= MAX_BYTES) parts[lang] = part;
    // Named all the same, so that no other form of the language stands for it: the page gets it from the service.
    else otherCodes[lang] = lang;
  }
  const isWhole = Object.keys(parts).length === BANNER_LANGUAGES.length;
  return { locale: isWhole ? locale : null, style, parts, otherCodes };
}

const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text));
