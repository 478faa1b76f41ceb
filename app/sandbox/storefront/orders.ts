/** Orders of a sandbox shop: as the Admin API shows them, and as webhook payloads. */
import { findVariant } from "./catalog.ts";
import type { GraphqlContext } from "./graphql/admin-api.ts";
import { pageOf } from "./pages.ts";
import type { PageArguments } from "./pages.ts";
import { requireAccess } from "./scopes.ts";
import type { ShopState } from "./state.ts";

type OrderLine = {
  gid: string;
  title: string;
  sku: string | null;
  quantity: number;
  price: string;
  /** Unknown in states that were written before. */
  variantGid?: string;
};
/** A part of the order's lines, by their places. */
type LineParts = { line: number; quantity: number }[];
type Refund = { gid: string; createdAt: string; amount: string; lines: LineParts };
type Fulfillment = {
  gid: string;
  status: string;
  createdAt: string;
  tracking: { company: string; number: string; url: string }[];
  /** Without them: every line as a whole. */
  lines?: LineParts;
};

export type Order = {
  gid: string;
  name: string;
  customerGid: string | null;
  createdAt: string;
  financialStatus: string;
  fulfillmentStatus: string;
  total: string;
  lines: OrderLine[];
  fulfillments: Fulfillment[];
  cancelledAt?: string | null;
  refunds?: Refund[];
  /** Attributes copied from the cart or draft order. */
  attributes: { key: string; value: string }[];
  cartToken: string | null;
};

export type OrderPatch = Partial<Omit<Order, "lines">> & {
  lines?: { variantGid: string; quantity: number }[];
};

const FIRST_ORDER = 9_007_199_254_741_001n;
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

export function putOrder(shop: ShopState, { lines, ...fields }: OrderPatch): Order {
  const orders = (shop.orders ??= {});
  const count = Object.keys(orders).length;
  // Orders that came with a gid of their own take none of these numbers.
  shop.nextOrderId ??= String(FIRST_ORDER + 2n * BigInt(count));
  const id = shop.nextOrderId;
  if (fields.gid === undefined) shop.nextOrderId = String(BigInt(id) + 2n);
  const made: Order = {
    gid: `gid://shopify/Order/${id}`,
    name: `#${1001 + count}`,
    customerGid: null,
    createdAt: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    financialStatus: "PAID",
    fulfillmentStatus: "UNFULFILLED",
    total: "0.00",
    lines: [],
    fulfillments: [],
    attributes: [],
    cartToken: null,
    ...(fields.gid === undefined ? undefined : orders[fields.gid]),
    ...fields,
  };
  if (lines) {
    made.lines = lines.flatMap(({ variantGid, quantity }, index) => {
      const found = findVariant(shop, variantGid);
      return found
        ? [
            {
              gid: `gid://shopify/LineItem/${made.gid.split("/").pop()}${index}`,
              title: found.product.title,
              sku: found.variant.sku,
              quantity,
              price: found.variant.price,
              variantGid,
            },
          ]
        : [];
    });
    if (fields.total === undefined)
      made.total = made.lines
        .reduce((sum, { price, quantity }) => sum + Number(price) * quantity, 0)
        .toFixed(2);
  }
  orders[made.gid] = made;
  return made;
}

const VISIBLE_MS = 60 * 24 * 60 * 60 * 1_000;

/** An app sees the orders of the last 60 days, unless it has `read_all_orders` (shopify.dev "Order"). */
const isVisible = ({ createdAt }: Order, scope: string): boolean =>
  scope.split(",").includes("read_all_orders") || Date.parse(createdAt) > Date.now() - VISIBLE_MS;

export const orderResolvers: Record<string, unknown> = {
  order: ({ id }: { id: string }, { shop, scope }: GraphqlContext) => {
    requireAccess(scope, "order", "read_orders");
    const order = shop.orders?.[id];
    return order && isVisible(order, scope) ? toGraphqlOrder(shop, order) : null;
  },
};

/** The field `orders` of a customer, newest first. */
export function ordersOfCustomer(customerGid: string) {
  return (
    { query, ...page }: PageArguments & { query?: string | null },
    { shop, scope }: GraphqlContext,
  ) => {
    requireAccess(scope, "orders", "read_orders");
    const name = /^name:"?#?([\w-]+)"?$/.exec(query ?? "")?.[1];
    const own = Object.values(shop.orders ?? {}).filter(
      (order) =>
        order.customerGid === customerGid &&
        isVisible(order, scope) &&
        (!query || order.name === `#${name}`),
    );
    const { nodes, pageInfo } = pageOf(
      own.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
      page,
      ({ gid }) => gid,
    );
    return { nodes: nodes.map((order) => toGraphqlOrder(shop, order)), pageInfo };
  };
}

function toGraphqlOrder(shop: ShopState, order: Order): Record<string, unknown> {
  const money = (amount: string) => ({ shopMoney: { amount, currencyCode: shop.currencyCode } });
  const { lines, refunds = [] } = order;
  const refunded = refunds.reduce((sum, { amount }) => sum + Number(amount), 0);
  const removedOf = (place: number) =>
    refunds
      .flatMap((refund) => refund.lines)
      .reduce((sum, { line, quantity }) => sum + (line === place ? quantity : 0), 0);
  const toNodes = (parts: LineParts) => ({
    nodes: parts.map(({ line, quantity }) => ({ quantity, lineItem: { id: lines[line]?.gid } })),
  });
  const everyLine = lines.map(({ quantity }, line) => ({ line, quantity }));
  return {
    id: order.gid,
    name: order.name,
    createdAt: order.createdAt,
    cancelledAt: order.cancelledAt ?? null,
    displayFinancialStatus: order.financialStatus,
    displayFulfillmentStatus: order.fulfillmentStatus,
    currentTotalPriceSet: money((Number(order.total) - refunded).toFixed(2)),
    totalPriceSet: money(order.total),
    customer: order.customerGid ? { id: order.customerGid } : null,
    lineItems: {
      nodes: lines.map((line, place) => ({
        ...line,
        id: line.gid,
        currentQuantity: line.quantity - removedOf(place),
        variant: line.variantGid === undefined ? null : { id: line.variantGid },
        discountedUnitPriceSet: money(line.price),
      })),
    },
    fulfillments: order.fulfillments.map((one) => ({
      ...one,
      id: one.gid,
      trackingInfo: one.tracking,
      fulfillmentLineItems: toNodes(one.lines ?? everyLine),
    })),
    refunds: refunds.map((one) => ({
      id: one.gid,
      createdAt: one.createdAt,
      totalRefundedSet: money(one.amount),
      refundLineItems: toNodes(one.lines),
    })),
  };
}

/** The orders/create payload, reduced to the fields that the app reads (shopify.dev "Webhooks"). */
export function orderPayload(shop: ShopState, order: Order): string {
  const customer = order.customerGid
    ? {
        id: rawJSON(order.customerGid.split("/").pop() as string),
        admin_graphql_api_id: order.customerGid,
      }
    : null;
  return JSON.stringify({
    id: rawJSON(order.gid.split("/").pop() as string),
    admin_graphql_api_id: order.gid,
    name: order.name,
    created_at: order.createdAt,
    updated_at: order.createdAt,
    currency: shop.currencyCode,
    total_price: order.total,
    financial_status: order.financialStatus.toLowerCase(),
    cart_token: order.cartToken,
    note_attributes: order.attributes.map(({ key, value }) => ({ name: key, value })),
    customer,
    line_items: order.lines.map(({ title, sku, quantity, price }) => ({
      title,
      sku,
      quantity,
      price,
    })),
  });
}
