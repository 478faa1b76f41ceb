// `GET /embed/footer`: links that work without script, the consent banner and the preferences. The
// banner is a region, not a dialog: a shopper can use the store without answering, and no tag runs
// before it is allowed.
import { toRegionValues } from "../domain/tenants/consent-regions.ts";
import { SCRIPTS, STYLES } from "../generated/embeds/scripts.ts";
import { actButton, renderChoices } from "./consent-form.ts";
import { consentTexts } from "./texts.ts";
import { embedDocument } from "./embed-document.ts";
import { escapeHtml } from "./escaping.ts";
import { TOKENS } from "./theme.ts";
import { embedAddress, mailAddress, type PublicConfig } from "./public-config.ts";

export function renderFooter(config: PublicConfig): string {
  const texts = consentTexts(config.locale);
  const link = (href: string | null, text: string, attributes = "") =>
    href === null
      ? ""
      : `<a href="${escapeHtml(href)}" target="_top"${attributes}>${escapeHtml(text)}</a>`;
  const choices = embedAddress(config, "/embed/compliance");
  const banner = `<section class="crm crm-auto crm-banner" aria-labelledby="crm-title" data-version="${escapeHtml(config.policyVersion ?? "")}"${regionsOf(config)} lang="${config.locale}" hidden><div><h2 id="crm-title">${escapeHtml(texts.title)}</h2><p>${escapeHtml(texts.text)} ${link(config.privacyUrl, texts.privacy)}</p><div class="crm-row">${actButton("refuse", texts.refuse)}${actButton("accept", texts.accept)}${actButton("choose", texts.choose, ' class="crm-plain"')}</div></div></section>`;
  const links = `<nav class="crm-links" aria-label="${escapeHtml(texts.links)}">${link(config.privacyUrl, texts.privacy)}${link(config.termsUrl, texts.terms)}${link(embedAddress(config, "/embed/account"), texts.account)}${link(config.supportEmail && mailAddress(config.supportEmail), texts.contact)}${link(choices, texts.preferences, ' data-crm="choose"')}${actButton("withdraw", texts.withdraw, " hidden")}${actButton("sale", texts.sale, " hidden")}</nav>`;
  const dialog = `<dialog class="crm crm-auto crm-dialog" aria-labelledby="crm-choices"><form method="dialog"><h2 id="crm-choices">${escapeHtml(texts.preferences)}</h2>${renderChoices(texts)}<p class="crm-links"><button>${escapeHtml(texts.close)}</button></p></form></dialog>`;
  return embedDocument(config, {
    title: texts.preferences,
    style: TOKENS + STYLES.footer,
    body: `${banner}${links}<p class="crm crm-auto crm-status crm-toast" role="status" data-text="${escapeHtml(texts.saved)}"></p>${dialog}`,
    scripts: [SCRIPTS["consent-choices"]],
  });
}

/** For scripts/platform-consent.ts: the merchant's own rules, where there are some. */
const regionsOf = ({ regions }: PublicConfig): string =>
  regions ? ` data-regions="${escapeHtml(JSON.stringify(toRegionValues(regions)))}"` : "";
