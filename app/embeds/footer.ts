// `GET /embed/footer`: links that work without script, the consent banner and the preferences. The
// banner is a region, not a dialog: a shopper can use the store without answering, and no tag runs
// before it is allowed. In the centre it would cover what has the focus, so there it is a dialog, which
// the Escape key closes without an answer.
import type { BannerValues, SpokenTexts } from "../domain/tenants/banner/banner-values.ts";
import { toRegionValues } from "../domain/tenants/consent-regions.ts";
import { SCRIPTS, STYLES } from "../generated/embeds/scripts.ts";
import { actButton, renderChoices } from "./consent-form.ts";
import { embedDocument } from "./embed-document.ts";
import { escapeHtml } from "./escaping.ts";
import { TOKENS } from "./theme.ts";
import { embedAddress, mailAddress, type PublicConfig } from "./public-config.ts";

/** The store's banner, and its texts in the language of the reader. */
export type BannerLook = { values: BannerValues; texts: SpokenTexts };

export const footerStyle = ({ style }: BannerValues, tokens = TOKENS): string =>
  tokens + STYLES.footer + style;

export const renderFooter = (config: PublicConfig, look: BannerLook): string =>
  embedDocument(config, {
    title: look.texts.preferences,
    style: footerStyle(look.values),
    body: renderFooterBody(config, look),
    scripts: [SCRIPTS["consent-choices"]],
    lang: look.texts.lang,
  });

const link = (href: string | null, text: string, attributes = "") =>
  href === null
    ? ""
    : `<a href="${escapeHtml(href)}" target="_top"${attributes}>${escapeHtml(text)}</a>`;

/**
 * Without its style and script. A merchant's texts may be written from right to left, and the shipped ones
 * stand in themes that are: each part has the direction of its own texts (`dir="auto"`).
 */
export function renderFooterBody(config: PublicConfig, { values, texts }: BannerLook): string {
  const own = values.version > 0 ? " crm-own" : "";
  const { privacy, terms, support } = values;
  const choices = embedAddress(config, "/embed/compliance");
  const links = `<nav class="crm-links" aria-label="${escapeHtml(texts.links)}">${link(privacy, texts.privacy)}${link(terms, texts.terms)}${link(embedAddress(config, "/embed/account"), texts.account)}${link(support && mailAddress(support), texts.contact)}${link(choices, texts.preferences, ' data-crm="choose"')}${actButton("withdraw", texts.withdraw, " hidden")}${actButton("sale", texts.sale, " hidden")}</nav>`;
  const dialog = `<dialog class="crm crm-auto${own} crm-dialog" dir="auto" lang="${texts.lang}" aria-labelledby="crm-choices"><form method="dialog"><h2 id="crm-choices">${escapeHtml(texts.preferences)}</h2>${renderChoices(texts)}<p class="crm-links"><button>${escapeHtml(texts.close)}</button></p></form></dialog>`;
  return `${renderBanner(config, { values, texts }, own)}${links}<p class="crm crm-auto${own} crm-status crm-toast" dir="auto" role="status" data-text="${escapeHtml(texts.saved)}"></p>${dialog}`;
}

/** Refusing and accepting are the same button twice, in every design. */
function renderBanner(config: PublicConfig, { values, texts }: BannerLook, own: string): string {
  const { template, position, policy, version, logo } = values;
  const tag = template === "centre" ? "dialog" : "section";
  const policies = [
    values.links.privacy && link(values.privacy, texts.privacy),
    values.links.terms && link(values.terms, texts.terms),
  ].filter(Boolean);
  const image = logo
    ? `<img class="crm-logo" src="${escapeHtml(logo)}" alt="" loading="lazy">`
    : "";
  return `<${tag} class="crm crm-auto${own} crm-banner crm-${template} crm-${position}" dir="auto" lang="${texts.lang}" aria-labelledby="crm-banner-title" data-version="${escapeHtml(policy)}"${regionsOf(config)} data-banner="${version}" data-count="${escapeHtml(embedAddress(config, "/embed/banner-events"))}" hidden><div>${image}<div class="crm-say"><h2 id="crm-banner-title" tabindex="-1">${escapeHtml(texts.title)}</h2><p>${escapeHtml(texts.text)} ${policies.join(" ")}</p></div><div class="crm-row">${actButton("refuse", texts.refuse)}${actButton("accept", texts.accept)}${actButton("choose", texts.choose, ' class="crm-plain"')}</div></div></${tag}>`;
}

/** For scripts/platform-consent.ts: the merchant's own rules, where there are some. */
const regionsOf = ({ regions }: PublicConfig): string =>
  regions ? ` data-regions="${escapeHtml(JSON.stringify(toRegionValues(regions)))}"` : "";
