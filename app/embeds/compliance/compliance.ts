// `GET /embed/compliance`: the shopper's consent choices and the ways to make a privacy request.
import { directionOf } from "../../domain/tenants/banner/banner-texts.ts";
import type { SpokenTexts } from "../../domain/tenants/banner/banner-values.ts";
import { SCRIPTS, STYLES } from "../../generated/embeds/scripts.ts";
import { renderBrand } from "../account-pages.ts";
import { STOREFRONT_TEXTS } from "../../locales/storefront-texts.ts";
import { renderChoices } from "../consent-form.ts";
import { embedDocument } from "../embed-document.ts";
import { escapeHtml } from "../escaping.ts";
import { pageTokens } from "../page-theme.ts";
import { embedAddress, mailAddress, type PublicConfig } from "../public-config.ts";

/**
 * `spoken`: the store's texts of the choices, in the language of the page. `hasPolicy`: the text of the
 * policy version is published here. `cookiesTitle`: what the list of cookies is called. The page has the
 * direction of its language, also where the theme has another one; the store's own texts have their own.
 */
export function renderCompliance(
  config: PublicConfig,
  spoken: SpokenTexts,
  { hasPolicy = false, cookiesTitle = "" }: { hasPolicy?: boolean; cookiesTitle?: string } = {},
): string {
  const texts = STOREFRONT_TEXTS[spoken.lang].compliance;
  const link = (href: string, text: string) =>
    `<a href="${escapeHtml(href)}" target="_top">${escapeHtml(text)}</a>`;
  const paragraph = (text: string, more = "") => `<p>${escapeHtml(text)}${more && ` ${more}`}</p>`;
  const card = (title: string, content: string) =>
    `<section class="card"><h2>${escapeHtml(title)}</h2>${content}</section>`;

  const documents = [
    config.privacyUrl && link(config.privacyUrl, spoken.privacy),
    config.termsUrl && link(config.termsUrl, spoken.terms),
    cookiesTitle && link(embedAddress(config, "/embed/cookies"), cookiesTitle),
  ].filter(Boolean);
  const { policyVersion, serviceUrl, shop } = config;
  const named = policyVersion === null ? "" : `<bdi>${escapeHtml(policyVersion)}</bdi>`;
  const policy = `${serviceUrl}/embed/policy?${new URLSearchParams({ shop, locale: spoken.lang })}`;
  const version =
    named &&
    `<small>${escapeHtml(texts.version)} ${hasPolicy ? `<a href="${escapeHtml(policy)}" target="_top">${named}</a>` : named}</small>`;
  const account = link(embedAddress(config, "/embed/account"), spoken.account);
  const contact = config.supportEmail
    ? paragraph(texts.rightsContact, link(mailAddress(config.supportEmail), config.supportEmail))
    : "";
  const body = `<div class="crm crm-ui crm-page" dir="${directionOf(spoken.lang)}">${renderBrand(config)}<h1>${escapeHtml(texts.pageTitle)}</h1>${paragraph(texts.pageText)}<p data-crm-plain>${escapeHtml(texts.noScript)}</p>
<section class="card" aria-labelledby="crm-now" data-crm-script hidden><h2 id="crm-now">${escapeHtml(texts.now)}</h2><form data-method="compliance-page" dir="auto">${renderChoices(spoken)}<p class="crm-status" role="status" data-text="${escapeHtml(spoken.saved)}"></p></form></section>
${card(texts.rights, `${paragraph(texts.rightsText)}${paragraph(texts.rightsAccount, account)}${contact}`)}${config.agentAccess ? card(texts.agents, paragraph(texts.agentsText)) : ""}${documents.length > 0 ? `<p>${documents.join(" · ")}</p>` : ""}${version}</div>`;
  return embedDocument(config, {
    title: texts.pageTitle,
    style: pageTokens(config.theme) + STYLES.controls + STYLES.compliance,
    body,
    scripts: [SCRIPTS["consent-choices"]],
    lang: spoken.lang,
    bodyClass: "crm crm-own",
  });
}
