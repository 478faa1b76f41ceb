// The choices of the preferences and the compliance page.
import type { BannerTexts } from "../domain/tenants/banner/banner-texts.ts";
import { escapeHtml } from "./escaping.ts";

export const actButton = (act: string, text: string, attributes = "") =>
  `<button type="button" data-crm="${act}"${attributes}>${escapeHtml(text)}</button>`;

const choice = (name: string, label: string, text: string, attributes: string) =>
  `<label><input type="checkbox" ${attributes}${name && ` data-crm-box="${name}"`}>${escapeHtml(label)}<small>${escapeHtml(text)}</small></label>`;

/** No checkbox is ticked in advance; the three answers have equal prominence. */
export function renderChoices(texts: BannerTexts): string {
  return `${choice("", texts.necessary, texts.necessaryText, "checked disabled")}${choice("cookie", texts.cookie, texts.cookieText, "")}${choice("marketing", texts.marketing, texts.marketingText, "")}<p data-crm-gpc hidden>${escapeHtml(texts.gpc)}</p><div class="crm-row">${actButton("refuse", texts.refuse)}${actButton("accept", texts.accept)}${actButton("save", texts.save)}</div>`;
}
