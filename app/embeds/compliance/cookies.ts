// `GET /embed/cookies`: what the store and its partners keep in a shopper's browser, one table for each purpose.
import type { CookieTexts, SpokenCookie } from "../../domain/cookie-list/cookie-texts.ts";
import { directionOf } from "../../domain/tenants/banner/banner-texts.ts";
import type { SpokenTexts } from "../../domain/tenants/banner/banner-values.ts";
import { STYLES } from "../../generated/embeds/scripts.ts";
import { renderBrand } from "../account-pages.ts";
import { embedDocument } from "../embed-document.ts";
import { escapeHtml } from "../escaping.ts";
import { pageTokens } from "../page-theme.ts";
import { embedAddress, type PublicConfig } from "../public-config.ts";

type Purpose = SpokenCookie["purpose"];

/**
 * `cookies`: by purpose, as shoppers see them. `spoken`: the store's texts of the choices, in the language of the
 * page. The roles repeat what the elements are, because on a phone they are blocks.
 */
export function renderCookies(
  config: PublicConfig,
  cookies: readonly SpokenCookie[],
  { spoken, texts }: { spoken: SpokenTexts; texts: CookieTexts },
): string {
  const purposes: Record<Purpose, { title: string; text: string }> = {
    necessary: { title: spoken.necessary, text: spoken.necessaryText },
    preferences: { title: texts.preferences, text: texts.preferencesText },
    analytics: { title: spoken.cookie, text: spoken.cookieText },
    marketing: { title: spoken.marketing, text: spoken.marketingText },
  };
  const heads = [texts.name, texts.provider, texts.use, texts.duration]
    .map((head) => `<th scope="col" role="columnheader">${escapeHtml(head)}</th>`)
    .join("");
  const cell = (label: string, value: string, mark = "") =>
    `<td role="cell" data-label="${escapeHtml(label)}"${mark}><bdi>${escapeHtml(value)}</bdi></td>`;
  const row = ({ name, provider, use, lang, duration }: SpokenCookie) =>
    `<tr role="row"><th scope="row" role="rowheader"><bdi translate="no">${escapeHtml(name)}</bdi></th>${cell(texts.provider, provider || config.brand)}${cell(texts.use, use, ` data-use${lang === null || lang === spoken.lang ? "" : ` lang="${lang}"`}`)}${cell(texts.duration, duration)}</tr>`;
  const table = (purpose: Purpose) => {
    const rows = cookies.filter((cookie) => cookie.purpose === purpose);
    const { title, text } = purposes[purpose];
    const id = `crm-cookies-${purpose}`;
    return rows.length === 0
      ? ""
      : `<section class="card"><h2 id="${id}" dir="auto">${escapeHtml(title)}</h2><table role="table" aria-labelledby="${id}"><caption dir="auto">${escapeHtml(text)}</caption><thead role="rowgroup"><tr role="row">${heads}</tr></thead><tbody role="rowgroup">${rows.map(row).join("")}</tbody></table></section>`;
  };
  const choices = `<a href="${escapeHtml(embedAddress(config, "/embed/compliance"))}" target="_top">${escapeHtml(spoken.preferences)}</a>`;
  const body = `<div class="crm crm-ui crm-page" dir="${directionOf(spoken.lang)}">${renderBrand(config)}<h1>${escapeHtml(texts.title)}</h1><p>${escapeHtml(texts.text)}</p>${(Object.keys(purposes) as Purpose[]).map(table).join("")}<p>${choices}</p></div>`;
  return embedDocument(config, {
    title: texts.title,
    style: pageTokens(config.theme) + STYLES.controls + STYLES.compliance + STYLES.cookies,
    body,
    scripts: [],
    lang: spoken.lang,
    bodyClass: "crm crm-own",
  });
}
