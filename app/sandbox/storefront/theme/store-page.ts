/**
 * The sandbox store as a shopper sees it: a theme with the app's blocks, and beside it the data
 * layer and the calls of the storefront's privacy API. GET /store/{shop}; POST /store/{shop} is the
 * theme's own newsletter form.
 */
import { text } from "../../exchange.ts";
import type { Call, ApiResponse } from "../../exchange.ts";
import { PROXY_PATH } from "../app-proxy.ts";
import { escapeHtml } from "../../console/page-layout.ts";
import type { Sandbox } from "../../sandbox.ts";
import { consentPolicies } from "../privacy-settings.ts";
import { customerPrivacyScript, visitorOf } from "./customer-privacy.ts";
import { STORE_SCRIPT, STORE_STYLE } from "./store-page-assets.ts";
import { catalogOf } from "../catalog.ts";
import { hasExtension, headEmbeds, readAsset, renderBlock } from "./theme-blocks.ts";

const VISIT_COOKIE = "sandbox_visit";
const LOCALES = ["en", "es", "fr"];
/** Nothing leaves this machine: the analytics tag is requested, and blocked here. */
const policyOf = (appUrl: string) =>
  `default-src 'self' 'unsafe-inline' data: ${new URL(appUrl).origin}; frame-ancestors 'none'; base-uri 'none'`;

export async function answerStore(sandbox: Sandbox, call: Call): Promise<ApiResponse> {
  const [, , shop = "", folder, file = ""] = call.path.split("/");
  if (!sandbox.storefront.shops().includes(shop) || !hasExtension())
    return text(404, "There is no store here");
  if (folder === "assets") {
    const asset = readAsset(file);
    return asset === null
      ? text(404, "No such asset")
      : {
          status: 200,
          headers: {
            "content-type": file.endsWith(".js")
              ? "text/javascript; charset=utf-8"
              : "text/css; charset=utf-8",
            "cache-control": "no-store",
          },
          body: asset,
        };
  }
  if (call.method === "POST")
    return { status: 303, headers: { location: `/store/${shop}?joined=1` } };
  const locale = LOCALES.find((known) => known === call.query.get("locale")) ?? "en";
  const customer =
    visitOf(call).shop === shop && !call.query.has("customer")
      ? visitOf(call).customerId
      : (/^\d+$/.exec(call.query.get("customer") ?? "")?.[0] ?? "");
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": policyOf(sandbox.appUrl()),
    "referrer-policy": "same-origin",
    "set-cookie": `${VISIT_COOKIE}=${shop}/${customer}; Path=/; SameSite=Lax`,
  };
  return {
    status: 200,
    headers,
    body: await storePage(sandbox, shop, locale, call.query, customer),
  };
}

/** The store that this browser visits, and the customer signed in there. */
export function visitOf(call: Call): { shop: string; customerId: string } {
  const [, shop = "", customerId = ""] =
    new RegExp(`(?:^|;\\s*)${VISIT_COOKIE}=([a-z0-9.-]+)/(\\d*)`).exec(call.headers.cookie ?? "") ??
    [];
  return { shop, customerId };
}

async function storePage(
  sandbox: Sandbox,
  shop: string,
  locale: string,
  query: URLSearchParams,
  signedIn: string,
): Promise<string> {
  const state = sandbox.storefront.ensureShop(shop);
  const block = (name: string) =>
    renderBlock(name, {
      shop,
      locale,
      assetUrl: (asset) => `/store/${shop}/assets/${asset}`,
      settings: { proxy_path: PROXY_PATH },
      metafields: state.appMetafields ?? [],
      isDesignMode: query.has("design"),
    });
  const privacy = customerPrivacyScript({
    ...visitorOf(query),
    policies: consentPolicies(state),
  });
  const embeds = await Promise.all(headEmbeds().map(block));
  const [footer, account, compliance] = await Promise.all(
    ["footer", "account", "compliance"].map(block),
  );
  const products = Object.values(catalogOf(state).products)
    .map(
      ({ title, description, variants }) =>
        `<li><strong>${escapeHtml(title)}</strong><span>${escapeHtml(description)}</span><span>${escapeHtml(variants[0]?.price)} ${escapeHtml(state.currencyCode)}</span></li>`,
    )
    .join("");
  const people = sandbox.storefront
    .customers(shop)
    .slice(-12)
    .toReversed()
    .map(({ gid, email }) => {
      const id = gid.replace("gid://shopify/Customer/", "");
      return `<option value="${escapeHtml(id)}"${id === signedIn ? " selected" : ""}>${escapeHtml(email ?? id)}</option>`;
    })
    .join("");
  const languages = LOCALES.map(
    (other) =>
      `<a href="/store/${shop}?locale=${other}"${other === locale ? ' aria-current="true"' : ""}>${other.toUpperCase()}</a>`,
  ).join(" ");
  return `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Demo Store</title><link rel="icon" href="data:,"><style>${STORE_STYLE}</style><script>${STORE_SCRIPT}</script><script>${privacy}</script>${embeds.join("")}</head>
<body><header><strong>Demo Store</strong><nav aria-label="Language">${languages}</nav><form method="get"><label>Signed in at the store as <select name="customer"><option value="">nobody</option>${people}</select></label><button>Go</button></form></header>
<main><h1>Things for a day outside</h1><ul class="products">${products}</ul>
<section class="card"><h2>Newsletter</h2>${query.has("joined") ? '<p role="status">Thank you. Look into the <a href="/inbox">inbox</a>.</p>' : ""}<form method="post" action="/store/${shop}" data-crm-form="newsletter"><label>E-mail <input type="email" name="contact[email]" required autocomplete="email"></label><label class="tick"><input type="checkbox" name="consent_marketing"> Send me offers</label><button>Join</button></form></section>
<section class="card">${account}</section><section class="card">${compliance}</section></main>
<footer>${footer}</footer>
<aside class="card" aria-label="Data layer and privacy API"><h2>Data layer and privacy API</h2><p>To tags (the data layer):</p><ol id="layer"></ol><p>To the store's privacy API:</p><ol id="privacy"></ol><p><a href="/">Sandbox</a></p></aside></body></html>`;
}
