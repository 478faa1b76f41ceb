/** The customers of the simulated store: the list with its search, and a customer's page with its form. */
import { fieldsOf, textOf, type Call } from "../../exchange.ts";
import { html, trusted, type Html } from "../../html.ts";
import type { CustomerPatch } from "../customers.ts";
import type { Customer, ShopState } from "../state.ts";
import {
  adminPath,
  customerName,
  dateOf,
  headed,
  money,
  orderTable,
  pageLinks,
  statusBadge,
  table,
  toId,
  type AdminApp,
  type AdminPage,
} from "./admin-layout.ts";
import { adminExtension, BLOCK_TARGET, languageLinks, staffLocale } from "./extension-places.ts";

const PAGE_SIZE = 25;
const SECTION = "/customers";

export const findCustomer = (shop: ShopState, id: string): Customer | undefined =>
  Object.values(shop.customers).find(({ gid }) => toId(gid) === id);

export function customerList(shop: ShopState, query: URLSearchParams): AdminPage {
  const search = (query.get("query") ?? "").trim().slice(0, 100);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = Object.values(shop.customers)
    .filter((customer) => {
      const text = [customerName(customer), customer.email, customer.phone, ...customer.tags]
        .join(" ")
        .toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .toReversed();
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  const page = Math.min(pages, Math.max(1, Number.parseInt(query.get("page") ?? "1", 10) || 1));
  const rows = found
    .slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
    .map((customer) => [
      html`<a href="${adminPath(shop, `${SECTION}/${toId(customer.gid)}`)}"
          >${customerName(customer)}</a
        ><span class="below-name">${customer.email ?? customer.phone}</span>`,
      statusBadge(customer.emailMarketingState),
      html`${customer.countryCode}`,
      html`${customer.numberOfOrders}`,
      html`<span class="nowrap">${money(shop, customer.amountSpent)}</span>`,
    ]);
  const kept = new URLSearchParams(search && { query: search });
  return {
    title: "Customers",
    section: SECTION,
    content: headed(
      "Customers",
      html`<form class="card pair" method="get" role="search" aria-label="Customers">
          <label>Search<input type="text" name="query" value="${search}" maxlength="100" /></label>
        </form>
        <section class="card flush">
          ${table(
            [
              "Customer",
              { wide: "Email subscription" },
              { wide: "Country" },
              "Orders",
              "Amount spent",
            ],
            rows,
            "No customers found.",
          )}${pageLinks(adminPath(shop, SECTION), kept, page, pages)}
        </section>`,
      html`<div class="head-actions">
        <p>${found.length} in total</p>
        <a class="button" href="${adminPath(shop, `${SECTION}/segments`)}">Segments</a>
      </div>`,
    ),
  };
}

export function customerPage(
  shop: ShopState,
  app: AdminApp,
  customer: Customer,
  query: URLSearchParams,
): AdminPage {
  const title = customerName(customer);
  const isSaved = query.has("saved");
  const locale = staffLocale(query);
  const path = adminPath(shop, `${SECTION}/${toId(customer.gid)}`);
  const block = adminExtension(shop, app, {
    target: BLOCK_TARGET,
    id: customer.gid,
    locale,
    path,
  });
  const orders = Object.values(shop.orders ?? {})
    .filter(({ customerGid }) => customerGid === customer.gid)
    .toReversed();
  const definition = (name: string, value: Html | string | null) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value || "None"}</dd>
    </div>`;
  const metafields = customer.metafields.map(({ namespace, key, value }) => [
    html`<code>${namespace}.${key}</code>`,
    html`<code>${value}</code>`,
  ]);
  return {
    title,
    section: SECTION,
    hasExtensions: block !== null,
    content: headed(
      title,
      html`${isSaved && html`<p class="banner" role="status">Saved. The store sends its webhooks now.</p>`}
        <section class="card figures">
          <div>
            <span class="quiet">Amount spent</span
            ><strong>${money(shop, customer.amountSpent)}</strong>
          </div>
          <div><span class="quiet">Orders</span><strong>${customer.numberOfOrders}</strong></div>
          <div>
            <span class="quiet">Customer since</span
            ><strong>${dateOf(shop, customer.createdAt, false)}</strong>
          </div>
        </section>
        <div class="two">
          <div>
            ${editForm(shop, customer)}
            <section class="card flush">
              <h2>Orders</h2>
              ${orderTable(shop, orders.slice(0, PAGE_SIZE), true)}
            </section>
            ${block} ${block && languageLinks(path, locale)}
          </div>
          <div>
            <section class="card">
              <h2>Contact</h2>
              <dl>
                ${[
                  definition("Email", customer.email),
                  definition("Phone", customer.phone),
                  definition("Country", customer.countryCode),
                  definition("Language", customer.locale),
                  definition("Account", statusBadge(customer.state)),
                ]}
              </dl>
            </section>
            <section class="card">
              <h2>Marketing</h2>
              <dl>
                ${[
                  definition("Email", statusBadge(customer.emailMarketingState)),
                  definition("SMS", statusBadge(customer.smsMarketingState)),
                ]}
              </dl>
            </section>
            <section class="card">
              <h2>Tags</h2>
              <p>
                ${customer.tags.length > 0 ? customer.tags.map((tag) => html`<span class="badge tag">${tag}</span>`) : "None"}
              </p>
            </section>
            <section class="card">
              <h2>ID</h2>
              <p><code>${toId(customer.gid)}</code></p>
            </section>
          </div>
        </div>
        <section class="card flush">
          <h2>Metafields</h2>
          ${table(["Name", "Value"], metafields, "No app has written any.")}
        </section>`,
      html`<a class="button" href="/store/${shop.domain}?customer=${toId(customer.gid)}"
        >Visit the store as this customer</a
      >`,
    ),
  };
}

function editForm(shop: ShopState, customer: Customer): Html {
  const { firstName, lastName, tags, note, emailMarketingState } = customer;
  const isSubscribed = emailMarketingState === "SUBSCRIBED";
  return html`<section class="card">
    <h2>Edit</h2>
    <form
      class="fields"
      method="post"
      action="${adminPath(shop, `${SECTION}/${toId(customer.gid)}`)}"
    >
      <div class="pair">
        <label
          >First name<input
            type="text"
            name="first_name"
            maxlength="255"
            value="${firstName}" /></label
        ><label
          >Last name<input type="text" name="last_name" maxlength="255" value="${lastName}"
        /></label>
      </div>
      <label
        >Tags<input type="text" name="tags" maxlength="2000" value="${tags.join(", ")}" /></label
      ><label>Note<textarea name="note" rows="2" maxlength="2000">${note}</textarea></label>
      <label class="tick"
        ><input
          type="checkbox"
          name="subscribed"
          value="yes"
          ${trusted(isSubscribed ? " checked" : "")}
        />
        Subscribed to email marketing</label
      >
      <div><button class="button primary">Save</button></div>
    </form>
  </section>`;
}

/** What the form changes; a field that it did not change stays out. */
export function customerPatch(customer: Customer, call: Call): CustomerPatch {
  const fields = fieldsOf(call.body);
  const field = (name: string, limit = 255): string | null =>
    textOf(fields[name]).trim().slice(0, limit) || null;
  const wanted = fields["subscribed"] === "yes";
  const isSubscribed = customer.emailMarketingState === "SUBSCRIBED";
  return {
    gid: customer.gid,
    firstName: field("first_name"),
    lastName: field("last_name"),
    note: field("note", 2_000),
    tags: (field("tags", 2_000) ?? "")
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
    ...(wanted !== isSubscribed && {
      emailMarketingState: wanted ? ("SUBSCRIBED" as const) : ("UNSUBSCRIBED" as const),
    }),
  };
}
