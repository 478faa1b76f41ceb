// The choices themselves, as the preferences and the compliance page show them.
import type { consentWordsOf } from "./consent-words.ts";
import { escapeHtml } from "./escaping.ts";

type Words = ReturnType<typeof consentWordsOf>;

export const actButton = (act: string, text: string, attributes = "") =>
  `<button type="button" data-crm="${act}"${attributes}>${escapeHtml(text)}</button>`;

const choice = (name: string, label: string, text: string, attributes: string) =>
  `<label><input type="checkbox" ${attributes}${name && ` data-crm-box="${name}"`}>${escapeHtml(label)}<small>${escapeHtml(text)}</small></label>`;

/** Nothing is ticked beforehand; the three ways to answer look alike. */
export function renderChoices(words: Words): string {
  return `${choice("", words.necessary, words.necessaryText, "checked disabled")}${choice("cookie", words.cookie, words.cookieText, "")}${choice("marketing", words.marketing, words.marketingText, "")}<p data-crm-gpc hidden>${escapeHtml(words.gpc)}</p><div class="crm-row">${actButton("refuse", words.refuse)}${actButton("accept", words.accept)}${actButton("save", words.save)}</div>`;
}
