// `GET /embed/policy`: the published text of the policy version that new consents name. Pure function of
// public values.
import { ownDocument, renderBrand, type PageLook } from "./account-pages.ts";
import { STOREFRONT_TEXTS } from "../locales/storefront-texts.ts";
import { escapeHtml } from "./escaping.ts";
import { localeOf } from "./texts.ts";

/** `locale`: the language of the text, which may be another one than the page's. */
export type PolicyText = { version: string; locale: string; text: string };

export function renderPolicyPage(look: PageLook, { version, locale, text }: PolicyText): string {
  const title = STOREFRONT_TEXTS[localeOf(look.locale)].compliance.version;
  return ownDocument(
    look,
    `${title} ${version} - ${look.brand}`,
    `<main class="reading">${renderBrand(look)}<h1>${escapeHtml(title)} <bdi>${escapeHtml(version)}</bdi></h1><div class="card policy" lang="${escapeHtml(locale)}" dir="auto">${escapeHtml(text)}</div></main>`,
  );
}
