/** What every page of the demo store has around it: the head with the app's embeds, header and footer. */
import { html, trusted, type Html } from "../../html.ts";
import { PROXY_PATH } from "../app-proxy.ts";
import { customerIdOf } from "../customers.ts";
import { consentPolicies } from "../privacy-settings.ts";
import { customerPrivacyScript } from "./customer-privacy.ts";
import { STORE_SCRIPT } from "./store-page-assets.ts";
import { STORE_STYLE } from "./store-style.ts";
import { STORE_LOCALES } from "./store-texts.ts";
import { blockNames, headEmbeds, renderBlock } from "./theme-blocks.ts";
import { isActiveBlock, settingsOfBlock } from "./theme-state.ts";
import type { Visit } from "./visit.ts";

const NEWEST_CUSTOMERS = 12;
const MARK = trusted(
  `<svg width="30" height="30" viewBox="0 0 30 30" aria-hidden="true"><circle cx="15" cy="15" r="15" fill="#2c4a3a"/><path d="M5 21l6-10 4 6 2.500-3.500L25 21z" fill="#efe8da"/><circle cx="20" cy="9" r="2.600" fill="#d98a4b"/></svg>`,
);

/** A block of the app, as the theme shows it here; null where the merchant has not switched it on. */
export async function appBlock(visit: Visit, name: string): Promise<Html | null> {
  const { shop, locale, preview } = visit;
  if (!blockNames().includes(name)) return null;
  if (!isActiveBlock(shop, name) && preview !== name) return null;
  const text = await renderBlock(name, {
    shop: shop.domain,
    locale,
    assetUrl: (asset) => `/store/${shop.domain}/assets/${asset}`,
    settings: { proxy_path: PROXY_PATH, ...settingsOfBlock(shop, name) },
    metafields: shop.appMetafields ?? [],
    isDesignMode: preview !== null,
    ...(visit.customer && { customerId: visit.customer.gid.split("/").at(-1) ?? "" }),
  });
  return trusted(text);
}

export async function storeDocument(visit: Visit, title: string, content: Html): Promise<string> {
  const { shop, locale } = visit;
  const embeds = await Promise.all(headEmbeds().map((name) => appBlock(visit, name)));
  const heading = title === shop.name ? title : `${title} · ${shop.name}`;
  const page = html`<!doctype html>
    <html lang="${locale}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <title>${heading}</title>
        <link rel="icon" href="data:," />
        <style>
          ${trusted(STORE_STYLE)}
        </style>
        <script>
          ${trusted(STORE_SCRIPT)};
        </script>
        <script>
          ${trusted(customerPrivacyScript({ ...visit.visitor, policies: consentPolicies(shop) }))};
        </script>
        ${embeds.filter((embed) => embed !== null)} ${trusted(shop.themeHtml ?? "")}
      </head>
      <body>
        <a class="skip" href="#content">${visit.t.skip}</a>
        <header>${visit.preview === null && demoBar(visit)}${siteHeader(visit)}</header>
        <main id="content">${content}</main>
        ${siteFooter(visit, await appBlock(visit, "footer"))}
        ${visit.preview === null && developerPanel(visit)}
      </body>
    </html>`;
  return page.text;
}

/** Not part of the store: who visits it, and the way back to the sandbox. */
function demoBar({ shop, path, locale, customerId }: Visit): Html {
  const people = Object.values(shop.customers)
    .slice(-NEWEST_CUSTOMERS)
    .toReversed()
    .map(({ gid, email }) => {
      const id = customerIdOf(gid);
      return html`<option value="${id}" ${trusted(id === customerId ? " selected" : "")}>
        ${email ?? id}
      </option>`;
    });
  return html`<div class="demo-bar">
    <div class="wide">
      <a href="/">Sandbox</a><a href="/storefront/${shop.domain}/admin">Store admin</a
      ><a href="/accounts/${shop.domain}">Customer accounts</a>
      <form method="get" action="/store/${shop.domain}${path === "/" ? "" : path}">
        ${locale !== "en" && html`<input type="hidden" name="locale" value="${locale}" />`}
        <label
          >Signed in at the store as
          <select name="customer">
            <option value="">nobody</option>
            ${people}
          </select></label
        ><button>Go</button>
      </form>
    </div>
  </div>`;
}

function siteHeader(visit: Visit): Html {
  const { shop, t, path, link, cart } = visit;
  const items = cart.reduce((sum, { quantity }) => sum + quantity, 0);
  const current = (to: string) => trusted(path === to ? ' aria-current="page"' : "");
  const entry = (to: string, text: string, more: Html | false = false) =>
    html`<a href="${link(to)}" ${current(to)}>${text}${more}</a>`;
  const languages = STORE_LOCALES.map((other) => {
    const query = new URLSearchParams({
      locale: other,
      ...(visit.preview !== null && { design: visit.preview }),
    });
    return html`<a
      href="/store/${shop.domain}${path === "/" ? "" : path}?${query.toString()}"
      lang="${other}"
      ${trusted(other === visit.locale ? ' aria-current="true"' : "")}
      >${other.toUpperCase()}</a
    >`;
  });
  return html`<div class="site">
    <div class="wide">
      <a class="brand" href="${link("/")}">${MARK}${shop.name}</a>
      <nav aria-label="${t.main}">
        ${entry("/collections/all", t.shop)}${entry("/pages/account", t.account)}${entry("/pages/privacy", t.privacy)}${entry("/cart", t.cart, items > 0 && html`<span class="cart-count">${items}</span>`)}
      </nav>
      <nav class="languages" aria-label="${t.language}">${languages}</nav>
    </div>
  </div>`;
}

function siteFooter({ shop, t, link }: Visit, block: Html | null): Html {
  const list = (entries: [string, string][]) =>
    html`<ul>
      ${entries.map(([to, text]) => html`<li><a href="${link(to)}">${text}</a></li>`)}
    </ul>`;
  return html`<footer class="site-footer">
    <div class="wide">
      <div class="columns">
        <div>
          <h2>${shop.name}</h2>
          <p>${t.heroText}</p>
        </div>
        <div>
          <h2>${t.shop}</h2>
          ${list([
            ["/collections/all", t.all],
            ["/cart", t.cart],
            ["/pages/account", t.account],
          ])}
        </div>
        <div>
          <h2>${t.help}</h2>
          ${list([
            ["/pages/privacy", t.privacy],
            ["/pages/cookies", t.cookies],
            ["/policies/privacy-policy", t.PRIVACY_POLICY],
            ["/policies/terms-of-service", t.TERMS_OF_SERVICE],
            ["/policies/refund-policy", t.REFUND_POLICY],
          ])}
        </div>
      </div>
      ${block && html`<div class="legal">${block}</div>`}
      <p class="fine">© ${new Date().getFullYear()} ${shop.name}</p>
    </div>
  </footer>`;
}

/** With a script and a frame of others, which wait until the visitor allows their purpose. */
function developerPanel({ shop }: Visit): Html {
  const partners = `/store/${shop.domain}/partners`;
  return html`<aside class="developer" aria-label="Data layer and privacy API">
    <div class="wide">
      <details>
        <summary>Data layer and privacy API</summary>
        <h2>To tags (the data layer)</h2>
        <ol id="layer"></ol>
        <h2>To the store's privacy API</h2>
        <ol id="privacy"></ol>
        <h2>Scripts of others</h2>
        <p id="partner-script">The script for marketing waits.</p>
        <iframe
          data-consent="analytics"
          data-src="${partners}/frame.html"
          title="A frame for analytics"
          width="300"
          height="30"
        ></iframe>
        <script type="text/plain" data-consent="marketing" data-src="${partners}/pixel.js"></script>
      </details>
    </div>
  </aside>`;
}
