/** What every page of the simulated store admin has around it: top bar, search and side menu. */
import type { ApiResponse } from "../../exchange.ts";
import { html, trusted, type Html } from "../../html.ts";
import type { Order } from "../orders.ts";
import { timeZoneOf, type ShopState } from "../state.ts";
import { EXTENSION_STYLE } from "../../ui-extensions/frame-style.ts";
import { ICONS } from "./admin-icons.ts";
import { ADMIN_STYLE } from "./admin-style.ts";

export type AdminApp = { url: string; handle: string; clientId: string };
export type AdminPage = {
  title: string;
  /** The menu entry that is current: its path below the admin. */
  section: string;
  content: Html;
  /** The page holds the app in a frame, which tells its menu to the admin's script. */
  hasFrame?: boolean;
  /** The page holds the app's UI extensions. */
  hasExtensions?: boolean;
  /** The script of these pages, below the admin's address. */
  script?: string;
  status?: number;
};

export const adminPath = (shop: ShopState, path = ""): string =>
  `/storefront/${shop.domain}/admin${path}`;

/** `customer-identity` is shown as "Customer identity". */
export const appName = ({ handle }: AdminApp): string =>
  handle.charAt(0).toUpperCase() + handle.slice(1).replaceAll("-", " ");

export const toId = (gid: string): string => gid.slice(gid.lastIndexOf("/") + 1);

/**
 * Buttons of these pages have effects: nothing frames them. Scripts run only where the app or its extensions
 * are shown.
 */
const policyOf = (app: AdminApp, { hasFrame, hasExtensions }: AdminPage): string =>
  [
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ...(hasFrame ? [`script-src 'self'; frame-src 'self' ${new URL(app.url).origin}`] : []),
    ...(hasExtensions ? ["script-src 'self'; frame-src 'self'; connect-src 'self'"] : []),
  ].join("; ");

export function adminPage(shop: ShopState, app: AdminApp, page: AdminPage): ApiResponse {
  const { title, section, content, hasExtensions, status = 200 } = page;
  const script = page.hasFrame ? "/app-frame.js" : page.script;
  const body = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <title>${title} · ${shop.name} · Store admin</title>
        <link rel="icon" href="data:," />
        <style>
          ${trusted(ADMIN_STYLE)}${hasExtensions && trusted(EXTENSION_STYLE)}
        </style>
        ${script && html`<script src="${adminPath(shop, script)}" defer></script>`}
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>${topBar(shop)}
        <div class="body">
          ${sideMenu(shop, app, section)}
          <main id="content">${content}</main>
        </div>
      </body>
    </html>`;
  return adminDocument(body, policyOf(app, page), status);
}

export const adminDocument = (body: Html, policy: string, status = 200): ApiResponse => ({
  status,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    // Not "no-referrer": with it a browser posts the page's own forms with Origin null.
    "referrer-policy": "same-origin",
    "content-security-policy": policy,
  },
  body: body.text,
});

function topBar(shop: ShopState): Html {
  const initials = shop.name
    .split(" ")
    .map((word) => word.charAt(0))
    .join("")
    .slice(0, 2)
    .toUpperCase();
  return html`<header class="top">
    <button class="menu-button" popovertarget="menu" aria-label="Menu">${ICONS.menu}</button>
    <a class="mark" href="/"><span aria-hidden="true">S</span><b>Sandbox admin</b></a>
    <form class="search" role="search" method="get" action="${adminPath(shop, "/customers")}">
      ${ICONS.search}<input
        name="query"
        aria-label="Search customers"
        placeholder="Search customers"
        maxlength="100"
      />
    </form>
    <div class="account"><b>${shop.name}</b><span aria-hidden="true">${initials}</span></div>
  </header>`;
}

function sideMenu(shop: ShopState, app: AdminApp, section: string): Html {
  const entry = (path: string, text: string, icon: Html) =>
    html`<li>
      <a href="${adminPath(shop, path)}" ${trusted(section === path ? ' aria-current="page"' : "")}
        >${icon}${text}</a
      >
    </li>`;
  const appPath = `/apps/${app.handle}`;
  return html`<nav class="side" id="menu" aria-label="Store admin" popover>
    <ul>
      ${[
        entry("", "Home", ICONS.home),
        entry("/orders", "Orders", ICONS.orders),
        entry("/products", "Products", ICONS.products),
        entry("/customers", "Customers", ICONS.customers),
      ]}
    </ul>
    <h2>Sales channels</h2>
    <ul>
      ${entry("/themes", "Online Store", ICONS.store)}
      <li><a href="/store/${shop.domain}">${ICONS.eye}View your store</a></li>
    </ul>
    <h2>Apps</h2>
    <ul>
      ${entry("/apps", "All apps", ICONS.apps)}${entry(appPath, appName(app), html`<span class="app-icon" aria-hidden="true">${appName(app).charAt(0)}</span>`)}
    </ul>
    <ul class="below" data-app-menu></ul>
    <ul>
      ${entry("/flow", "Flow", ICONS.flow)}
    </ul>
    <ul class="last">
      ${entry("/settings", "Settings", ICONS.settings)}
    </ul>
  </nav>`;
}

export function headed(title: string, content: Html, actions: Html | false = false): Html {
  return html`<div class="content">
    <div class="head">
      <h1>${title}</h1>
      ${actions}
    </div>
    ${content}
  </div>`;
}

/** `wide`: a column that a phone leaves out. */
type Column = string | { wide: string };

export function table(columns: Column[], rows: Html[][], empty: string): Html {
  if (rows.length === 0) return html`<p class="pad quiet">${empty}</p>`;
  const wide = columns.map((column) =>
    trusted(typeof column === "string" ? "" : ' class="wide-only"'),
  );
  const heading = (column: Column, at: number) =>
    html`<th scope="col" ${wide[at]}>${typeof column === "string" ? column : column.wide}</th>`;
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${columns.map(heading)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, at) => html`<td ${wide[at]}>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

export const badge = (text: string, tone: "" | "good" | "attention" = ""): Html =>
  html`<span class="badge ${tone}">${text}</span>`;

export function statusBadge(status: string): Html {
  const text = status.charAt(0) + status.slice(1).toLowerCase().replaceAll("_", " ");
  if (["PAID", "FULFILLED", "ACTIVE", "SUBSCRIBED"].includes(status)) return badge(text, "good");
  return badge(text, ["UNFULFILLED", "PENDING"].includes(status) ? "attention" : "");
}

export const money = ({ currencyCode }: ShopState, amount: string | number): string =>
  new Intl.NumberFormat("en", { style: "currency", currency: currencyCode }).format(Number(amount));

/** In the store's own time zone, as the admin shows times. */
export const dateOf = (shop: ShopState, iso: string, hasTime = true): Html => {
  const shown = new Intl.DateTimeFormat("en", {
    dateStyle: "medium",
    ...(hasTime && { timeStyle: "short" }),
    timeZone: timeZoneOf(shop),
  }).format(new Date(iso));
  return html`<time class="nowrap" datetime="${iso}">${shown}</time>`;
};

/** `isOfOne`: the orders of one customer, whose name is shown above. */
export function orderTable(shop: ShopState, orders: readonly Order[], isOfOne = false): Html {
  const nameOf = (gid: string | null): Html => {
    const customer = gid === null ? undefined : shop.customers[gid];
    return customer
      ? html`<a href="${adminPath(shop, `/customers/${toId(customer.gid)}`)}"
          >${customerName(customer)}</a
        >`
      : html`<span class="quiet">No customer</span>`;
  };
  const own: Column[] = isOfOne ? [] : ["Customer"];
  return table(
    ["Order", { wide: "Date" }, ...own, "Total", { wide: "Payment" }, { wide: "Fulfillment" }],
    orders.map((order) => [
      html`<a class="nowrap" href="${adminPath(shop, `/orders/${toId(order.gid)}`)}"
        >${order.name}</a
      >`,
      dateOf(shop, order.createdAt),
      ...(isOfOne ? [] : [nameOf(order.customerGid)]),
      html`<span class="nowrap">${money(shop, order.total)}</span>`,
      statusBadge(order.financialStatus),
      statusBadge(order.fulfillmentStatus),
    ]),
    "No orders yet.",
  );
}

type Named = {
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  phone: string | null;
};
export const customerName = ({ firstName, lastName, email, phone }: Named): string =>
  [firstName, lastName].filter(Boolean).join(" ") || email || phone || "Customer without a name";

export function pageLinks(path: string, query: URLSearchParams, page: number, pages: number): Html {
  if (pages < 2) return html``;
  const link = (to: number, text: string) => {
    const asked = new URLSearchParams(query);
    asked.set("page", String(to));
    return html`<a class="button" href="${path}?${asked.toString()}">${text}</a>`;
  };
  return html`<nav class="pages" aria-label="Pages">
    ${page > 1 && link(page - 1, "Previous")}<span>Page ${page} of ${pages}</span
    >${page < pages && link(page + 1, "Next")}
  </nav>`;
}
