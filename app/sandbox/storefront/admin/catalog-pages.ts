/** Orders and products of the simulated store. */
import { html, type Html } from "../../html.ts";
import { catalogOf, isPublic, type Product } from "../catalog.ts";
import type { Order } from "../orders.ts";
import type { ShopState } from "../state.ts";
import { pictureOf } from "../theme/product-pictures.ts";
import {
  adminPath,
  badge,
  customerName,
  dateOf,
  headed,
  money,
  orderTable,
  pageLinks,
  statusBadge,
  table,
  toId,
  type AdminPage,
} from "./admin-layout.ts";

const PAGE_SIZE = 25;

export function orderList(shop: ShopState, query: URLSearchParams): AdminPage {
  const orders = newestOrders(shop);
  const pages = Math.max(1, Math.ceil(orders.length / PAGE_SIZE));
  const page = Math.min(pages, Math.max(1, Number.parseInt(query.get("page") ?? "1", 10) || 1));
  return {
    title: "Orders",
    section: "/orders",
    content: headed(
      "Orders",
      html`<section class="card flush">
        ${orderTable(shop, orders.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE))}${pageLinks(adminPath(shop, "/orders"), new URLSearchParams(), page, pages)}
      </section>`,
      html`<p>${orders.length} in total</p>`,
    ),
  };
}

export const newestOrders = (shop: ShopState): Order[] =>
  Object.values(shop.orders ?? {}).sort((a, b) => b.createdAt.localeCompare(a.createdAt));

export function orderPage(shop: ShopState, order: Order): AdminPage {
  const customer = order.customerGid === null ? undefined : shop.customers[order.customerGid];
  const lines = order.lines.map(({ title, sku, quantity, price }) => [
    html`${title}`,
    html`${sku}`,
    html`${quantity}`,
    html`${money(shop, price)}`,
    html`${money(shop, Number(price) * quantity)}`,
  ]);
  const attributes = order.attributes.map(
    ({ key, value }) =>
      html`<div>
        <dt>${key}</dt>
        <dd>${value}</dd>
      </div>`,
  );
  return {
    title: `Order ${order.name}`,
    section: "/orders",
    content: headed(
      `Order ${order.name}`,
      html`<div class="two">
        <div>
          <section class="card flush">
            <h2>Items</h2>
            ${table(["Product", { wide: "SKU" }, "Quantity", { wide: "Price" }, "Total"], lines, "No items.")}
          </section>
          <section class="card">
            <h2>Total</h2>
            <p><strong>${money(shop, order.total)}</strong></p>
          </section>
        </div>
        <div>
          <section class="card">
            <h2>Customer</h2>
            <p>
              ${customer ? html`<a href="${adminPath(shop, `/customers/${toId(customer.gid)}`)}">${customerName(customer)}</a>` : "No customer"}
            </p>
          </section>
          <section class="card">
            <h2>Placed</h2>
            <p>${dateOf(shop, order.createdAt)}</p>
          </section>
          ${
            attributes.length > 0 &&
            html`<section class="card">
              <h2>Additional details</h2>
              <dl>${attributes}</dl>
            </section>`
          }
        </div>
      </div>`,
      html`<div>
        ${statusBadge(order.financialStatus)} ${statusBadge(order.fulfillmentStatus)}
      </div>`,
    ),
  };
}

const pictureCell = (shop: ShopState, { handle }: Product): Html =>
  html`<img class="thumb" src="${pictureOf(shop.domain, handle)}" alt="" width="40" height="40" />`;

export function productList(shop: ShopState): AdminPage {
  const products = Object.values(catalogOf(shop).products);
  const rows = products.map((product) => [
    pictureCell(shop, product),
    html`<a href="${adminPath(shop, `/products/${toId(product.gid)}`)}">${product.title}</a>`,
    statusBadge(product.status),
    html`${stockOf(product)}`,
    html`${product.productType}`,
    html`${product.vendor}`,
  ]);
  return {
    title: "Products",
    section: "/products",
    content: headed(
      "Products",
      html`<section class="card flush">
        ${table(["Picture", "Product", "Status", { wide: "Inventory" }, { wide: "Type" }, { wide: "Vendor" }], rows, "No products.")}
      </section>`,
      html`<p>${products.length} in total</p>`,
    ),
  };
}

function stockOf({ variants }: Product): string {
  if (variants.some(({ stock }) => stock === null)) return "Not tracked";
  return `${variants.reduce((sum, { stock }) => sum + (stock ?? 0), 0)} in stock`;
}

export function productPage(shop: ShopState, product: Product): AdminPage {
  const variants = product.variants.map(({ title, sku, price, stock }) => [
    html`${title === "Default Title" ? "Default" : title}`,
    html`${sku}`,
    html`${money(shop, price)}`,
    stock === 0 ? badge("Sold out", "attention") : html`${stock ?? "Not tracked"}`,
  ]);
  return {
    title: product.title,
    section: "/products",
    content: headed(
      product.title,
      html`<div class="two">
        <div>
          <section class="card">
            <h2>Description</h2>
            <p>${product.description || "None"}</p>
          </section>
          <section class="card flush">
            <h2>Variants</h2>
            ${table(["Variant", "SKU", "Price", "Inventory"], variants, "No variants.")}
          </section>
        </div>
        <div>
          <section class="card">
            <h2>Picture</h2>
            <img src="${pictureOf(shop.domain, product.handle)}" alt="" width="200" height="200" />
          </section>
          <section class="card">
            <h2>Organization</h2>
            <dl>
              <div>
                <dt>Type</dt>
                <dd>${product.productType || "None"}</dd>
              </div>
              <div>
                <dt>Vendor</dt>
                <dd>${product.vendor || "None"}</dd>
              </div>
              <div>
                <dt>Tags</dt>
                <dd>${product.tags.join(", ") || "None"}</dd>
              </div>
            </dl>
          </section>
        </div>
      </div>`,
      isPublic(product)
        ? html`<a class="button" href="/store/${shop.domain}/products/${product.handle}"
            >View in the store</a
          >`
        : statusBadge(product.status),
    ),
  };
}
