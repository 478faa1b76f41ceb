// The shopper's account and dashboard pages: a title, links to sign in without script, and the data
// for the script. The script fetches personal data with the shopper's session; only for a customer
// identified by the storefront's proxy does the page itself contain consents and tags.
import { escapeHtml, scriptJson } from "./escaping.ts";
import { SCRIPTS, STYLES } from "../generated/embeds/scripts.ts";
import { renderBrand } from "./account-pages.ts";
import { pageTokens } from "./page-theme.ts";
import { knownAs, providerLink } from "./provider-link.ts";
import { ROOT_MARK } from "./theme.ts";
import { embedAddress, mailAddress, type PublicConfig } from "./public-config.ts";
import type { PageData, ProxiedCustomer } from "./shopper/page-data.ts";
import { agentTexts, shopperTexts } from "./texts.ts";

export type ShopperPage = "account" | "dashboard";

export type ShopperView = {
  page: ShopperPage;
  /** The store page that the shopper came from and returns to. */
  returnTo: { path: string; href: string } | null;
  customer: ProxiedCustomer | null;
};

/** The script of a page, the same for every store. */
export const shopperScript = (page: ShopperPage): string => SCRIPTS[page];

const isProxied = ({ at, serviceUrl }: PublicConfig) => at !== serviceUrl;

/** The address of one of our pages on the current page's origin. */
const pageAddress = (config: PublicConfig, path: string) =>
  embedAddress({ ...config, at: isProxied(config) ? config.at : config.serviceUrl }, path).replace(
    config.serviceUrl,
    "",
  );

/**
 * The sign-in with an identity provider; it returns here with a code in the fragment, or to the
 * named store page.
 */
function signInElsewhere(config: PublicConfig, provider: string, back: string): string {
  return `${config.serviceUrl}/auth/${provider}/login?${new URLSearchParams({ shop: config.shop, handoff: "fragment", return_to: back })}`;
}

function toPageData(config: PublicConfig, { page, returnTo, customer }: ShopperView): PageData {
  const account = pageAddress(config, "/embed/account");
  return {
    page,
    shop: config.shop,
    locale: config.locale,
    termsUrl: config.termsUrl,
    privacyUrl: config.privacyUrl,
    policyVersion: config.policyVersion,
    consentMonths: config.consentMonths,
    agentAccess: config.agentAccess,
    agentPayments: config.agentPayments,
    api: isProxied(config) ? config.serviceUrl : "",
    serviceOrigin: config.serviceUrl,
    proxy: isProxied(config) ? config.at : null,
    links: {
      account,
      dashboard: pageAddress(config, "/embed/dashboard"),
      elsewhere: config.signIn.map((provider) => ({
        name: knownAs(provider, config.federatedBrand),
        href: signInElsewhere(config, provider, returnTo?.path ?? account),
      })),
    },
    customer,
    scopes: agentTexts(config.locale).scopes,
    words: shopperTexts(config.locale),
  };
}

export function renderShopperPage(config: PublicConfig, view: ShopperView): string {
  const texts = shopperTexts(config.locale);
  const data = toPageData(config, view);
  const title = view.page === "account" ? texts.accountTitle : texts.dashboardTitle;
  const back = view.returnTo
    ? `<p><a href="${escapeHtml(view.returnTo.href)}" target="_top">${escapeHtml(texts.backToStore)}</a></p>`
    : "";
  const elsewhere = config.signIn
    .map((provider, index) => {
      const href = data.links.elsewhere[index]?.href.replace("handoff=fragment&", "") ?? "";
      return `<li>${providerLink(provider, href, texts, config.federatedBrand)}</li>`;
    })
    .join("");
  const ways = elsewhere
    ? `<p>${escapeHtml(texts.noScriptWays)}</p><ul class="ways">${elsewhere}</ul>`
    : "";
  const help = config.supportEmail
    ? `<p>${escapeHtml(texts.noScriptHelp)} <a href="${escapeHtml(mailAddress(config.supportEmail))}">${escapeHtml(config.supportEmail)}</a></p>`
    : "";
  // Everything is below the one root element, which a theme can move into its own page.
  return `<!doctype html><html lang="${config.locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${escapeHtml(title)} - ${escapeHtml(config.brand)}</title><link rel="icon" href="data:,"></head>
<body class="crm crm-own"><main><div class="crm crm-ui crm-shopper" ${ROOT_MARK} data-page="${view.page}" lang="${config.locale}" dir="ltr"><style>${pageTokens(config.theme)}${STYLES.controls}${STYLES.shopper}</style>
<header>${renderBrand(config)}<h1 id="crm-title" tabindex="-1">${escapeHtml(title)}</h1>${back}</header>
<noscript><p>${escapeHtml(texts.noScript)}</p>${ways}${help}<style>#crm-app{display:none}</style></noscript>
<p id="crm-live" class="live" role="status" aria-live="polite"></p><div id="crm-app" aria-busy="true"><p>${escapeHtml(texts.loading)}</p></div>
<script type="application/json" id="crm-data">${scriptJson(data)}</script><script src="${escapeHtml(pageAddress(config, `/embed/${view.page}.js`).split("?")[0] ?? "")}" defer></script></div></main></body></html>`;
}
