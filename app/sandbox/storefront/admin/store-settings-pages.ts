/** The admin's home, its themes, its apps and its settings. */
import { html } from "../../html.ts";
import { policiesOf, policyHandle } from "../policies.ts";
import { primaryHostOf, timeZoneOf, type ShopState } from "../state.ts";
import {
  adminPath,
  appName,
  badge,
  dateOf,
  headed,
  money,
  orderTable,
  table,
  type AdminApp,
  type AdminPage,
} from "./admin-layout.ts";
import { newestOrders } from "./catalog-pages.ts";

const SHOWN_ORDERS = 8;

export function homePage(shop: ShopState): AdminPage {
  const orders = newestOrders(shop);
  const revenue = orders.reduce((sum, { total }) => sum + Number(total), 0);
  const figure = (name: string, value: string | number, path: string) =>
    html`<a href="${adminPath(shop, path)}"
      ><span class="quiet">${name}</span><strong>${value}</strong></a
    >`;
  return {
    title: "Home",
    section: "",
    content: headed(
      shop.name,
      html`<section class="card figures">
          ${[
            figure("Customers", Object.keys(shop.customers).length, "/customers"),
            figure("Orders", orders.length, "/orders"),
            figure("Total sales", money(shop, revenue), "/orders"),
          ]}
        </section>
        <section class="card flush">
          <h2>Latest orders</h2>
          ${orderTable(shop, orders.slice(0, SHOWN_ORDERS))}
        </section>
        <p class="quiet">This store is simulated: it exists on this machine only.</p>`,
    ),
  };
}

export function themesPage(shop: ShopState): AdminPage {
  return {
    title: "Online Store",
    section: "/themes",
    content: headed(
      "Online Store",
      html`<section class="card">
        <h2>Published theme</h2>
        <p>Trailhead ${badge("Current", "good")}</p>
        <p class="quiet">The app's blocks are switched on and set up in the theme editor.</p>
        <p>
          <a class="button primary" href="${adminPath(shop, "/themes/current/editor")}"
            >Edit theme</a
          >
          <a class="button" href="/store/${shop.domain}">View your store</a>
        </p>
      </section>`,
    ),
  };
}

export function appsPage(shop: ShopState, app: AdminApp): AdminPage {
  const initial = appName(app).charAt(0);
  const install = `${new URL("/auth/install", app.url).href}?shop=${shop.domain}`;
  return {
    title: "Apps",
    section: "/apps",
    content: headed(
      "Apps",
      shop.isInstalled
        ? html`<section class="card flush">
            <ul class="app-list">
              <li>
                <a href="${adminPath(shop, `/apps/${app.handle}`)}"
                  ><span class="app-icon large" aria-hidden="true">${initial}</span
                  ><span>${appName(app)}<span class="quiet">Installed</span></span></a
                >
              </li>
            </ul>
          </section>`
        : html`<section class="card">
            <p>No app is installed.</p>
            <p><a class="button primary" href="${install}">Install ${appName(app)}</a></p>
          </section>`,
    ),
  };
}

export function settingsPage(shop: ShopState, app: AdminApp): AdminPage {
  const row = (name: string, value: string) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  const policies = policiesOf(shop).map(({ type, title, body, updatedAt }) => [
    html`<a href="/store/${shop.domain}/policies/${policyHandle(type)}">${title}</a>`,
    body === "" ? badge("Not published") : badge("Published", "good"),
    dateOf(shop, updatedAt),
  ]);
  const scopes = shop.grantedScope
    .split(",")
    .filter(Boolean)
    .map((scope) => html`<span class="badge tag">${scope}</span>`);
  return {
    title: "Settings",
    section: "/settings",
    content: headed(
      "Settings",
      html`<div class="two">
        <div>
          <section class="card">
            <h2>Store details</h2>
            <dl>
              ${[
                row("Name", shop.name),
                row("Domain", shop.domain),
                row("Primary domain", primaryHostOf(shop)),
                row("Email", shop.email),
                row("Currency", shop.currencyCode),
                row("Country", shop.countryCode),
                row("Time zone", timeZoneOf(shop)),
                row("Store password", shop.hasPassword ? "On" : "Off"),
              ]}
            </dl>
          </section>
          <section class="card flush">
            <h2>Policies</h2>
            ${table(["Policy", "State", { wide: "Updated" }], policies, "No policies.")}
          </section>
        </div>
        <div>
          <section class="card">
            <h2>Access of ${appName(app)}</h2>
            <p>${scopes.length > 0 ? scopes : "None"}</p>
          </section>
        </div>
      </div>`,
    ),
  };
}

/** The app's web pixel and its settings. */
export function customerEventsPage({ webPixel }: ShopState, app: AdminApp): AdminPage {
  const pixels = webPixel
    ? Object.entries(webPixel.settings).map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )
    : [];
  return {
    title: "Customer events",
    section: "/settings",
    content: headed(
      "Customer events",
      html`<section class="card">
        <h2>${appName(app)} ${webPixel ? badge("Connected", "good") : badge("No pixel")}</h2>
        <dl>${pixels}</dl>
        <p class="quiet">
          The pixel runs in the checkout and on the thank-you page of the store, for shoppers who
          allow analytics.
        </p>
      </section>`,
    ),
  };
}

export function missingPage(): AdminPage {
  return {
    title: "Not found",
    section: "none",
    status: 404,
    content: headed(
      "There is no page at this address",
      html`<p>It may have been deleted, or the address has a typing error.</p>`,
    ),
  };
}
