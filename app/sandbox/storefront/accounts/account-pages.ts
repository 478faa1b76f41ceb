/**
 * The store's customer accounts as a shopper sees them (shopify.dev "Customer accounts"): orders and profile of
 * the platform, with the app's extensions in them. Everything stands below /accounts/{shop}; who is signed in is
 * chosen in the bar at the top.
 */
import { redirect, text } from "../../exchange.ts";
import type { ApiResponse, Call } from "../../exchange.ts";
import { html, trusted, type Html } from "../../html.ts";
import { isSameSiteOrProgram } from "../../loopback-guard.ts";
import type { Sandbox } from "../../sandbox.ts";
import { findUiExtension } from "../../ui-extensions/declared-extensions.ts";
import { extensionFrame } from "../../ui-extensions/extension-frame.ts";
import { EXTENSION_STYLE } from "../../ui-extensions/frame-style.ts";
import { customerIdOf } from "../customers.ts";
import { STORE_LOCALES } from "../theme/store-texts.ts";
import { moneyOf, readVisit, visitCookie, type Visit } from "../theme/visit.ts";
import { ACCOUNT_STYLE } from "./account-style.ts";
import { ACCOUNT_TEXTS, type AccountTexts } from "./account-texts.ts";

export const ACCOUNTS_PATH = "/accounts";
const PAGE_TARGET = "customer-account.page.render";
const PROFILE_TARGET = "customer-account.profile.block.render";
const NEWEST_CUSTOMERS = 12;

/** The platform's pages run nothing but their own scripts, and frame nothing but extensions. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; frame-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

type AccountVisit = Visit & { texts: AccountTexts; appUrl: string };

export async function answerAccounts(sandbox: Sandbox, call: Call): Promise<ApiResponse> {
  const [, , domain = "", place = "", name = "", ...rest] = call.path.split("/");
  if (!sandbox.storefront.shops().includes(domain) || rest.length > 0)
    return text(404, "There is no store here");
  const visit = readVisit(sandbox.storefront.ensureShop(domain), `/${place}`, call);
  if (place === "session-token" && name === "") return sessionToken(sandbox, call, visit);
  if (place === "") return redirect(linkOf(visit, "/orders"));
  const account = { ...visit, texts: ACCOUNT_TEXTS[visit.locale], appUrl: sandbox.appUrl() };
  const page = pageAt(account, place, name);
  return {
    status: page ? 200 : 404,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": POLICY,
      "referrer-policy": "same-origin",
      "set-cookie": visitCookie(visit),
    },
    body: documentOf(account, page ?? { title: account.texts.missing, content: html`` }).text,
  };
}

/** The token of the signed-in customer, for the page around an extension. */
async function sessionToken(sandbox: Sandbox, call: Call, visit: Visit): Promise<ApiResponse> {
  if (!isSameSiteOrProgram(call.headers))
    return text(403, "Session tokens are issued to the account's own pages only");
  if (!visit.customer) return text(401, "Nobody is signed in");
  const token = await sandbox.storefront.customerSessionToken(
    visit.shop.domain,
    visit.customer.gid,
  );
  return text(200, token, { "cache-control": "no-store" });
}

type AccountPage = { title: string; content: Html };

function pageAt(visit: AccountVisit, place: string, name: string): AccountPage | null {
  if (!visit.customer) return { title: visit.texts.signIn, content: signInNote(visit) };
  if (place === "orders" && name === "") return ordersPage(visit);
  if (place === "profile" && name === "") return profilePage(visit);
  const extension = findUiExtension(PAGE_TARGET);
  if (place !== "pages" || extension?.handle !== name) return null;
  const content = frameOf(visit, PAGE_TARGET);
  return content && { title: nameOf(visit), content };
}

/** The extension's name in the shopper's language. */
function nameOf({ locale }: AccountVisit): string {
  const extension = findUiExtension(PAGE_TARGET);
  const texts = extension?.texts[locale] ?? extension?.texts[extension.defaultLocale];
  const key = /^t:(\w+)$/.exec(extension?.name ?? "")?.[1];
  const name = key ? texts?.[key] : extension?.name;
  return typeof name === "string" ? name : "";
}

function frameOf({ shop, locale, customer, appUrl }: AccountVisit, target: string): Html | null {
  const base = `${ACCOUNTS_PATH}/${shop.domain}`;
  const handle = findUiExtension(PAGE_TARGET)?.handle ?? "";
  return extensionFrame({
    surface: "customerAccount",
    target,
    appUrl,
    locale,
    currency: shop.currencyCode,
    customerId: customer ? customerIdOf(customer.gid) : null,
    url: "extension:/",
    tokenUrl: `${base}/session-token`,
    extensionPages: { [handle]: `${base}/pages/${handle}${localeQuery(locale)}` },
  });
}

const localeQuery = (locale: string) => (locale === "en" ? "" : `?locale=${locale}`);
const linkOf = ({ shop, locale }: Visit, path: string) =>
  `${ACCOUNTS_PATH}/${shop.domain}${path}${localeQuery(locale)}`;

function ordersPage(visit: AccountVisit): AccountPage {
  const { shop, customer, texts, locale } = visit;
  const orders = Object.values(shop.orders ?? {})
    .filter(({ customerGid }) => customerGid === customer?.gid)
    .toReversed();
  return {
    title: texts.orders,
    content: html`<h1>${texts.orders}</h1>
      ${orders.length === 0 && html`<p class="card quiet">${texts.noOrders}</p>`}
      <div class="orders">
        ${orders.map(
          ({ name, createdAt, total }) =>
            html`<article class="card">
              <h2>${name}</h2>
              <p class="quiet">
                ${new Date(createdAt).toLocaleDateString(locale, { dateStyle: "long" })}
              </p>
              <p>${moneyOf(visit, Number(total))}</p>
            </article>`,
        )}
      </div>`,
  };
}

function profilePage(visit: AccountVisit): AccountPage {
  const { customer, texts } = visit;
  const name = [customer?.firstName, customer?.lastName].filter(Boolean).join(" ");
  return {
    title: texts.profile,
    content: html`<h1>${texts.profile}</h1>
      <section class="card">
        <dl>
          <dt>${texts.name}</dt>
          <dd>${name || "–"}</dd>
          <dt>${texts.email}</dt>
          <dd>${customer?.email ?? "–"}</dd>
        </dl>
      </section>
      ${frameOf(visit, PROFILE_TARGET)}`,
  };
}

const signInNote = ({ texts }: AccountVisit): Html =>
  html`<h1>${texts.signIn}</h1>
    <p class="card">${texts.signInText}</p>`;

function documentOf(visit: AccountVisit, { title, content }: AccountPage): Html {
  const { shop, locale, texts } = visit;
  const page = findUiExtension(PAGE_TARGET);
  const entry = (path: string, label: string) =>
    html`<a
      href="${linkOf(visit, path)}"
      ${trusted(path.startsWith(visit.path) ? ' aria-current="page"' : "")}
      >${label}</a
    >`;
  return html`<!doctype html>
    <html lang="${locale}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <title>${title} · ${shop.name}</title>
        <link rel="icon" href="data:," />
        <style>
          ${trusted(ACCOUNT_STYLE + EXTENSION_STYLE)}
        </style>
      </head>
      <body>
        ${demoBar(visit)}
        <header>
          <div class="wide">
            <a class="brand" href="/store/${shop.domain}">${shop.name}</a>
            <nav aria-label="${texts.account}">
              ${entry("/orders", texts.orders)}${entry("/profile", texts.profile)}${page && entry(`/pages/${page.handle}`, nameOf(visit))}
            </nav>
            <nav class="languages" aria-label="${texts.language}">${languages(visit)}</nav>
          </div>
        </header>
        <main class="wide">${content}</main>
      </body>
    </html>`;
}

const languages = ({ locale }: AccountVisit): Html[] =>
  STORE_LOCALES.map(
    (other) =>
      html`<a
        href="?locale=${other}"
        lang="${other}"
        ${trusted(other === locale ? ' aria-current="true"' : "")}
        >${other.toUpperCase()}</a
      >`,
  );

/** Not part of the platform: who is signed in, and the way back to the sandbox. */
function demoBar({ shop, customerId, locale }: AccountVisit): Html {
  const people = Object.values(shop.customers).slice(-NEWEST_CUSTOMERS).toReversed();
  const chosen = Object.values(shop.customers).find(({ gid }) => customerIdOf(gid) === customerId);
  const shown = chosen && !people.includes(chosen) ? [chosen, ...people] : people;
  return html`<div class="demo-bar">
    <div class="wide">
      <a href="/">Sandbox</a><a href="/storefront/${shop.domain}/admin">Store admin</a>
      <form method="get">
        ${locale !== "en" && html`<input type="hidden" name="locale" value="${locale}" />`}
        <label
          >Signed in as
          <select name="customer">
            <option value="">nobody</option>
            ${shown.map(({ gid, email }) => {
              const id = customerIdOf(gid);
              return html`<option value="${id}" ${trusted(id === customerId ? " selected" : "")}>
                ${email ?? id}
              </option>`;
            })}
          </select></label
        ><button>Go</button>
      </form>
    </div>
  </div>`;
}
