// `GET /embed/compliance`: the shopper's consent choices and the ways to make a privacy request.
import { SCRIPTS, STYLES } from "../generated/embeds/scripts.ts";
import { renderChoices } from "./consent-form.ts";
import { consentTexts } from "./texts.ts";
import { embedDocument } from "./embed-document.ts";
import { escapeHtml } from "./escaping.ts";
import { TOKENS } from "./theme.ts";
import { embedAddress, mailAddress, type PublicConfig } from "./public-config.ts";

export function renderCompliance(config: PublicConfig): string {
  const texts = consentTexts(config.locale);
  const link = (href: string, text: string) =>
    `<a href="${escapeHtml(href)}" target="_top">${escapeHtml(text)}</a>`;
  const account = link(embedAddress(config, "/embed/account"), texts.account);
  const documents = [
    config.privacyUrl && link(config.privacyUrl, texts.privacy),
    config.termsUrl && link(config.termsUrl, texts.terms),
  ]
    .filter(Boolean)
    .join(" · ");
  const contact = config.supportEmail
    ? `<p>${escapeHtml(texts.rightsContact)} ${link(mailAddress(config.supportEmail), config.supportEmail)}.</p>`
    : "";
  const logo = config.logoUrl ? `<img src="${escapeHtml(config.logoUrl)}" alt="">` : "";
  const version = config.policyVersion
    ? `<p><small>${escapeHtml(texts.version)} <bdi>${escapeHtml(config.policyVersion)}</bdi></small></p>`
    : "";
  const body = `<div class="crm crm-auto crm-page">${logo}<p>${escapeHtml(config.brand)}</p><h1>${escapeHtml(texts.pageTitle)}</h1><p>${escapeHtml(texts.pageText)}</p><p data-crm-plain>${escapeHtml(texts.noScript)}</p>
<section aria-labelledby="crm-now" data-crm-script hidden><h2 id="crm-now">${escapeHtml(texts.now)}</h2><form data-method="compliance-page">${renderChoices(texts)}<p class="crm-status" role="status" data-text="${escapeHtml(texts.saved)}"></p></form></section>
<h2>${escapeHtml(texts.rights)}</h2><p>${escapeHtml(texts.rightsText)}</p><p>${escapeHtml(texts.rightsAccount)} ${account}</p>${contact}${config.agentAccess ? `<h2>${escapeHtml(texts.agents)}</h2><p>${escapeHtml(texts.agentsText)}</p>` : ""}${documents && `<p>${documents}</p>`}${version}</div>`;
  return embedDocument(config, {
    title: texts.pageTitle,
    style: TOKENS + STYLES.footer + STYLES.compliance,
    body,
    scripts: [SCRIPTS["consent-choices"]],
  });
}
