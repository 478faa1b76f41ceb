// `GET /embed/footer`: links that work by themselves, the consent banner and the preferences. The banner is a region and no
// dialog: whoever does not answer is not kept from the store, and nothing is used that was not allowed.
import { SCRIPTS, STYLES } from "../generated/embeds/scripts.ts";
import { actButton, renderChoices } from "./consent-form.ts";
import { consentWordsOf } from "./consent-words.ts";
import { embedDocument } from "./embed-document.ts";
import { escapeHtml } from "./escaping.ts";
import { TOKENS } from "./look.ts";
import { embedAddress, mailAddress, type PublicConfig } from "./public-config.ts";

export function renderFooter(config: PublicConfig): string {
  const words = consentWordsOf(config.locale);
  const link = (href: string | null, text: string, attributes = "") =>
    href === null
      ? ""
      : `<a href="${escapeHtml(href)}" target="_top"${attributes}>${escapeHtml(text)}</a>`;
  const choices = embedAddress(config, "/embed/compliance");
  const banner = `<section class="crm crm-auto crm-banner" aria-labelledby="crm-title" data-version="${escapeHtml(config.policyVersion ?? "")}" lang="${config.locale}" hidden><div><h2 id="crm-title">${escapeHtml(words.title)}</h2><p>${escapeHtml(words.text)} ${link(config.privacyUrl, words.privacy)}</p><div class="crm-row">${actButton("refuse", words.refuse)}${actButton("accept", words.accept)}${actButton("choose", words.choose, ' class="crm-plain"')}</div></div></section>`;
  const links = `<nav class="crm-links" aria-label="${escapeHtml(words.links)}">${link(config.privacyUrl, words.privacy)}${link(config.termsUrl, words.terms)}${link(embedAddress(config, "/embed/account"), words.account)}${link(config.supportEmail && mailAddress(config.supportEmail), words.contact)}${link(choices, words.preferences, ' data-crm="choose"')}${actButton("withdraw", words.withdraw, " hidden")}</nav>`;
  const dialog = `<dialog class="crm crm-auto crm-dialog" aria-labelledby="crm-choices"><form method="dialog"><h2 id="crm-choices">${escapeHtml(words.preferences)}</h2>${renderChoices(words)}<p class="crm-links"><button>${escapeHtml(words.close)}</button></p></form></dialog>`;
  return embedDocument(config, {
    title: words.preferences,
    style: TOKENS + STYLES.footer,
    body: `${banner}${links}<p class="crm-links crm-status" role="status" data-said="${escapeHtml(words.saved)}"></p>${dialog}`,
    scripts: [SCRIPTS["consent-choices"]],
  });
}
