/** The simulated store admin: which page stands at which address below /storefront/{shop}/admin. */
import { readFileSync } from "node:fs";
import { redirect, text, type ApiResponse, type Call } from "../../exchange.ts";
import { isSameSiteOrProgram } from "../../loopback-guard.ts";
import { catalogOf } from "../catalog.ts";
import type { CustomerPatch } from "../customers.ts";
import type { ShopState } from "../state.ts";
import { hasExtension } from "../theme/theme-blocks.ts";
import type { AppCredentials } from "../tokens.ts";
import { adminPage, adminPath, toId, type AdminApp, type AdminPage } from "./admin-layout.ts";
import { openApp } from "./app-page.ts";
import { orderList, orderPage, productList, productPage } from "./catalog-pages.ts";
import { customerList, customerPage, customerPatch, findCustomer } from "./customer-pages.ts";
import { staffToken } from "./extension-places.ts";
import { flowPage, takeFlowForm } from "./flow-page.ts";
import { findSegmentById, segmentList, segmentPage } from "./segment-pages.ts";
import {
  appsPage,
  homePage,
  missingPage,
  customerEventsPage,
  settingsPage,
  themesPage,
} from "./store-settings-pages.ts";
import { noThemeBlocks, saveTheme, themeEditor } from "./theme-editor-page.ts";

const SECTIONS = ["", "orders", "products", "customers", "themes", "apps", "flow", "settings"];
const SCRIPTS = ["app-frame.js", "use-segment.js"];

export type AdminVisit = {
  shop: ShopState;
  app: AdminApp & AppCredentials;
  call: Call;
  /** Saves the customer and sends the webhooks of the change. */
  saveCustomer(patch: CustomerPatch): unknown;
  changed(): void;
};

/** Null for a path that is not a page of the admin. */
export function answerAdmin(
  path: string,
  visit: AdminVisit,
): ApiResponse | Promise<ApiResponse> | null {
  const { shop, app, call } = visit;
  if (path !== "/admin" && !path.startsWith("/admin/")) return null;
  const [section = "", ...rest] = path.slice("/admin/".length).split("/").filter(Boolean);
  if (SCRIPTS.includes(section) && rest.length === 0) return serveScript(section);
  if (section === "session-token" && rest.length === 0) return staffToken(shop, app, call);
  if (!SECTIONS.includes(section)) return null;
  if (call.method === "POST") return takeForm(visit, section, rest);
  if (call.method !== "GET") return text(405, "Use GET or POST", { allow: "GET, POST" });
  if (section === "apps" && rest.join("/") === "flow") return redirect(adminPath(shop, "/flow"));
  // Where extensions are added to customer accounts; here they are in their places already.
  if (section === "settings" && rest.join("/") === "checkout/editor")
    return redirect(`/accounts/${shop.domain}/profile`);
  if (section === "apps" && rest.length > 0)
    return [app.handle, app.clientId].includes(rest[0] as string)
      ? openApp(shop, app, rest, call)
      : adminPage(shop, app, missingPage());
  if (section === "themes" && rest.join("/") === "current/editor")
    return hasExtension() ? themeEditor(shop, call.query) : adminPage(shop, app, noThemeBlocks());
  return adminPage(shop, app, pageAt(visit, section, rest) ?? missingPage());
}

function pageAt(visit: AdminVisit, section: string, rest: string[]): AdminPage | null {
  const { shop, app, call } = visit;
  const [id, ...further] = rest;
  if (section === "customers" && id === "segments") return segmentsAt(visit, further);
  if (further.length > 0) return null;
  const withId = <Found>(found: Found | undefined, page: (found: Found) => AdminPage) =>
    found === undefined ? null : page(found);
  switch (section) {
    case "":
      return homePage(shop);
    case "orders":
      if (id === undefined) return orderList(shop, call.query);
      return withId(
        Object.values(shop.orders ?? {}).find(({ gid }) => toId(gid) === id),
        (order) => orderPage(shop, order),
      );
    case "products":
      if (id === undefined) return productList(shop);
      return withId(
        Object.values(catalogOf(shop).products).find(({ gid }) => toId(gid) === id),
        (product) => productPage(shop, product),
      );
    case "customers":
      if (id === undefined) return customerList(shop, call.query);
      return withId(findCustomer(shop, id), (customer) =>
        customerPage(shop, app, customer, call.query),
      );
    case "themes":
      return id === undefined ? themesPage(shop) : null;
    case "apps":
      return appsPage(shop, app);
    case "flow":
      return id === undefined ? flowPage(shop, app) : null;
    case "settings":
      if (id === "customer_events") return customerEventsPage(shop, app);
      return id === undefined ? settingsPage(shop, app) : null;
    default:
      return null;
  }
}

function segmentsAt({ shop, app, call }: AdminVisit, rest: string[]): AdminPage | null {
  const [id, ...further] = rest;
  if (id === undefined) return segmentList(shop);
  const segment = further.length === 0 && findSegmentById(shop, id);
  return segment ? segmentPage(shop, app, segment, call) : null;
}

/** The merchant's forms: only these pages and programs of this machine send them. */
async function takeForm(visit: AdminVisit, section: string, rest: string[]): Promise<ApiResponse> {
  const { shop, app, call } = visit;
  if (!isSameSiteOrProgram(call.headers))
    return text(403, "Only the admin's own pages may post here");
  if (section === "themes" && rest.join("/") === "current/editor" && hasExtension()) {
    const location = saveTheme(shop, call);
    visit.changed();
    return redirect(location, 303);
  }
  if (section === "flow" && rest.length === 0) {
    await takeFlowForm(shop, app, call);
    visit.changed();
    return redirect(adminPath(shop, "/flow"), 303);
  }
  const customer =
    section === "customers" && rest.length === 1 && findCustomer(shop, rest[0] as string);
  if (!customer) return adminPage(shop, app, missingPage());
  visit.saveCustomer(customerPatch(customer, call));
  return redirect(adminPath(shop, `/customers/${toId(customer.gid)}?saved`), 303);
}

const serveScript = (name: string): ApiResponse => ({
  status: 200,
  headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" },
  body: readFileSync(new URL(`./${name}`, import.meta.url), "utf8"),
});
