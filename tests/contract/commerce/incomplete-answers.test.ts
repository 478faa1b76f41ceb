// A storefront whose answer lacks what was asked for: the response names the storefront, and what is
// optional is left out.
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  closeCarts,
  itemsOf,
  newPayer,
  seedProducts,
  type Shelf,
} from "../../support/agents/checkout.ts";
import { asShopper, type Shopper } from "../../support/agents/commerce.ts";
import { SHOP, startService, type Answer, type Service } from "../../support/service.ts";
import { around } from "../../support/storefront/synced-store.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
let restore = () => {};
beforeAll(async () => {
  service = await startService();
  shelf = await seedProducts(service);
  shopper = await newPayer(service);
});
afterAll(() => service.stop());
afterEach(() => {
  restore();
  service.sandbox.clearFaults();
});

/** The storefront answers calls of this operation with `data`. */
function answer(operation: string, data: unknown): void {
  restore = around(service, (_call, { document }) => {
    if (new RegExp(`^(query|mutation) (${operation})\\b`).test(document))
      service.sandbox.failNext("storefront", { status: 200, body: { data }, match: "/admin/api/" });
  });
}

const shopperGets = (path: string) => asShopper(service, shopper, "GET", `${path}?shop=${SHOP}`);
/** Each with a search of its own, because the service keeps answers for half a minute. */
let searches = 0;
const findProducts = () =>
  asShopper(
    service,
    shopper,
    "GET",
    `/commerce/products?shop=${SHOP}&query=lamp${(searches += 1)}`,
  );
const admin = (path: string) => service.call("POST", `${path}shop=${SHOP}`);
const checkOut = () =>
  asShopper(service, shopper, "POST", `/commerce/checkout?shop=${SHOP}`, {
    body: { line_items: itemsOf(shelf.camera) },
  });

const euros = { amount: "1.0", currencyCode: "EUR" };
const productPriced = (price: unknown, range: unknown = euros) => ({
  id: "gid://shopify/Product/1",
  handle: "plain",
  title: "Plain",
  priceRangeV2: { minVariantPrice: range, maxVariantPrice: range },
  variants: {
    nodes: [{ id: "gid://shopify/ProductVariant/2", title: "One", price, availableForSale: true }],
  },
});
const tenOfNothing = { shopMoney: { amount: "10.0", currencyCode: null } };
const draftWithoutCurrency = {
  id: "gid://shopify/DraftOrder/1",
  invoiceUrl: `https://${SHOP}/invoices/1`,
  subtotalPriceSet: tenOfNothing,
  totalPriceSet: tenOfNothing,
  lineItems: { nodes: [] },
};
const draftWithoutLines = { id: "gid://shopify/DraftOrder/2", invoiceUrl: `https://${SHOP}/2` };

it.each<[string, unknown, () => Promise<Answer>]>([
  ["Products", { other: 1 }, findProducts],
  ["Products", { products: null }, findProducts],
  ["Products", { products: { nodes: [productPriced(undefined)] } }, findProducts],
  ["Products", { products: { nodes: [productPriced({ amount: "1.0" })] } }, findProducts],
  ["Products", { products: { nodes: [productPriced("1.0", { amount: "free" })] } }, findProducts],
  [
    "CollectionByHandle",
    { collectionByIdentifier: {} },
    () => asShopper(service, shopper, "GET", `/commerce/products?shop=${SHOP}&collection=lamps`),
  ],
  ["CustomerOrders", { customer: { id: "x" } }, () => shopperGets("/commerce/orders")],
  ["Variants", { other: 1 }, checkOut],
  ["DraftOrderCreate", { other: 1 }, checkOut],
  ["DraftOrderCreate", { draftOrderCreate: null }, checkOut],
  ["DraftOrderCreate", { draftOrderCreate: { draftOrder: draftWithoutCurrency } }, checkOut],
  ["DraftOrderCreate", { draftOrderCreate: { draftOrder: draftWithoutLines } }, checkOut],
  [
    "MetafieldDefinitionCreate",
    { other: 1 },
    () => admin("/admin/init-tag-system?step=storefront&"),
  ],
  ["BulkOperationRun|CustomersPage", { other: 1 }, () => admin("/sync/customers?")],
])("%s answered with %j is the storefront's error, a 502", async (operation, data, ask) => {
  closeCarts(service);
  answer(operation, data);
  const { status, json } = await ask();
  expect([status, json.code]).toEqual([502, "storefront_unavailable"]);
});

const callTool = (name: string, catalog: object) =>
  service.call("POST", `/mcp?shop=${SHOP}`, {
    key: null,
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: { catalog } },
    },
  });

it.each<[string, unknown]>([
  ["no list", { other: 1 }],
  ["a product without prices", { nodes: [{ id: "gid://shopify/Product/1", handle: "plain" }] }],
  ["a variant whose product has no prices", { nodes: [{ id: "x", product: { handle: "plain" } }] }],
])("a lookup answered with %s is the storefront's error for an agent too", async (_name, data) => {
  answer("ProductsById", data);
  const { status, json } = await callTool("lookup_catalog", { ids: ["gid://shopify/Product/1"] });
  expect([status, json.error.data.code]).toEqual([502, "storefront_unavailable"]);
});

it("a search answered with a price that is no amount is the storefront's error for an agent too", async () => {
  answer("Products", { products: { nodes: [productPriced({ amount: "1.0" })] } });
  const { status, json } = await callTool("search_catalog", { query: "no-amount" });
  expect([status, json.error.data.code]).toEqual([502, "storefront_unavailable"]);
});

it("products without tags, texts, numbers and paging are shown without them", async () => {
  answer("Products", {
    products: { nodes: [productPriced("1.0")] },
  });
  const { status, json } = await findProducts();
  expect([status, json.page_info]).toEqual([200, { has_next_page: false, end_cursor: null }]);
  expect(json.products[0]).toMatchObject({
    description: "",
    tags: [],
    image: null,
    variants: [{ sku: null, barcode: null, price: { amount: "1.00", currency: "EUR" } }],
  });
});
