// `GET /embed/compliance`: what the reader allows, and what they may ask for.
import { SCRIPTS, STYLES } from "../generated/embeds/scripts.ts";
import { renderChoices } from "./consent-form.ts";
import { consentWordsOf } from "./consent-words.ts";
import { embedDocument } from "./embed-document.ts";
import { escapeHtml } from "./escaping.ts";
import { TOKENS } from "./look.ts";
import { embedAddress, mailAddress, type PublicConfig } from "./public-config.ts";

export function renderCompliance(config: PublicConfig): string {
  const words = consentWordsOf(config.locale);
  const link = (href: string, text: string) =>
    `<a href="${escapeHtml(href)}" target="_top">${escapeHtml(text)}</a>`;
  const account = link(embedAddress(config, "/embed/account"), words.account);
  const documents = [
    config.privacyUrl && link(config.privacyUrl, words.privacy),
    config.termsUrl && link(config.termsUrl, words.terms),
  ]
    .filter(Boolean)
    .join(" · ");
  const contact = config.supportEmail
    ? `<p>${escapeHtml(words.rightsContact)} ${link(mailAddress(config.supportEmail), config.supportEmail)}.</p>`
    : "";
  const logo = config.logoUrl ? `<img src="${escapeHtml(config.logoUrl)}" alt="">` : "";
  const version = config.policyVersion
    ? `<p><small>${escapeHtml(words.version)}: <bdi>${escapeHtml(config.policyVersion)}</bdi></small></p>`
    : "";
  const body = `<div class="crm crm-auto crm-page">${logo}<p>${escapeHtml(config.brand)}</p><h1>${escapeHtml(words.pageTitle)}</h1><p>${escapeHtml(words.pageText)}</p><p data-crm-plain>${escapeHtml(words.noScript)}</p>
<section aria-labelledby="crm-now" data-crm-script hidden><h2 id="crm-now">${escapeHtml(words.now)}</h2><form data-method="compliance-page">${renderChoices(words)}<p class="crm-status" role="status" data-said="${escapeHtml(words.saved)}"></p></form></section>
<h2>${escapeHtml(words.rights)}</h2><p>${escapeHtml(words.rightsText)}</p><p>${escapeHtml(words.rightsAccount)} ${account}</p>${contact}${config.agentAccess ? `<h2>${escapeHtml(words.agents)}</h2><p>${escapeHtml(words.agentsText)}</p>` : ""}${documents && `<p>${documents}</p>`}${version}</div>`;
  return embedDocument(config, {
    title: words.pageTitle,
    style: TOKENS + STYLES.footer + STYLES.compliance,
    body,
    scripts: [SCRIPTS["consent-choices"]],
  });
}
