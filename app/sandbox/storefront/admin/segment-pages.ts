/** Customer segments in the simulated admin: the list, and a segment with its members and actions. */
import type { Call } from "../../exchange.ts";
import { html, type Html } from "../../html.ts";
import { findSegment, membersOf, segmentsOf, type Segment } from "../segments/segments.ts";
import type { ShopState } from "../state.ts";
import {
  adminPath,
  badge,
  customerName,
  headed,
  table,
  toId,
  type AdminApp,
  type AdminPage,
} from "./admin-layout.ts";
import {
  ACTION_TARGET,
  adminExtension,
  languageLinks,
  localeQuery,
  nameOfExtension,
  staffLocale,
} from "./extension-places.ts";

const SECTION = "/customers";
const SEGMENTS = `${SECTION}/segments`;
const SHOWN = 25;

export function segmentList(shop: ShopState): AdminPage {
  const rows = segmentsOf(shop).map(({ gid, name, query }) => [
    html`<a href="${adminPath(shop, `${SEGMENTS}/${toId(gid)}`)}">${name}</a>`,
    html`<code>${query}</code>`,
    html`${membersOf(shop, query).length}`,
  ]);
  return {
    title: "Segments",
    section: SECTION,
    content: headed(
      "Segments",
      html`<section class="card flush">
        ${table(["Segment", { wide: "Query" }, "Customers"], rows, "No segments.")}
      </section>`,
      html`<a class="button" href="${adminPath(shop, SECTION)}">All customers</a>`,
    ),
  };
}

export const findSegmentById = (shop: ShopState, id: string): Segment | undefined =>
  findSegment(shop, `gid://shopify/Segment/${id}`);

/** `?action`: the app's action is open. */
export function segmentPage(
  shop: ShopState,
  app: AdminApp,
  { gid, name, query }: Segment,
  call: Call,
): AdminPage {
  const members = membersOf(shop, query);
  const locale = staffLocale(call.query);
  const path = adminPath(shop, `${SEGMENTS}/${toId(gid)}`);
  const rows = members
    .slice(0, SHOWN)
    .map((customer) => [
      html`<a href="${adminPath(shop, `${SECTION}/${toId(customer.gid)}`)}"
          >${customerName(customer)}</a
        ><span class="below-name">${customer.email ?? customer.phone}</span>`,
      html`${customer.tags.map((tag) => html`<span class="badge tag">${tag}</span>`)}`,
    ]);
  const action = nameOfExtension(ACTION_TARGET, locale);
  const frame =
    call.query.has("action") &&
    adminExtension(shop, app, { target: ACTION_TARGET, id: gid, locale, path });
  return {
    title: name,
    section: SECTION,
    hasExtensions: true,
    ...(frame && { script: "/use-segment.js" }),
    content: headed(
      name,
      html`<section class="card">
          <p><code>${query}</code></p>
          <p class="quiet">${members.length} customers</p>
        </section>
        <section class="card flush">
          <h2>Customers</h2>
          ${table(["Customer", "Tags"], rows, "No customer meets the conditions.")}
        </section>
        ${languageLinks(path, locale)}
        ${frame && actionDialog(frame, action ?? name, `${path}${localeQuery(locale)}`)}`,
      html`<div class="head-actions">
        <a class="button" href="${adminPath(shop, SEGMENTS)}">All segments</a>
        ${useSegment(action, `${path}${localeQuery(locale)}`)}
      </div>`,
    ),
  };
}

/** What the apps and the platform offer for a segment; here the app's action alone. */
function useSegment(action: string | null, path: string): Html {
  if (action === null) return badge("No app has an action for segments");
  const separator = path.includes("?") ? "&" : "?";
  return html`<button class="button primary" popovertarget="use-segment">Use segment</button>
    <ul class="popover" id="use-segment" popover>
      <li><a href="${path}${separator}action">${action}</a></li>
    </ul>`;
}

const actionDialog = (frame: Html, name: string, path: string): Html =>
  html`<dialog class="action" aria-label="${name}" data-path="${path}" open>${frame}</dialog>`;
