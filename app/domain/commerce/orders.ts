// A customer's orders, read from the storefront (which shows an app the last 60 days) and cached
// for five minutes. They are shown only to the verified customer: anyone can sign up with another
// person's address.
import { hash } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import { CUSTOMER_ORDERS, ORDER } from "../../integrations/storefront/commerce-documents.ts";
import { readWhole } from "../../integrations/storefront/read-whole.ts";
import { findKey, putKey } from "../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import { isProven, type Account } from "../identity/account.ts";
import { callAdminApi } from "../tenants/storefront/admin-api.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { toLink, toPlainText } from "./catalog-text.ts";
import { toMoney, type StorefrontMoney } from "./money.ts";

type Priced = { shopMoney: StorefrontMoney };
type StorefrontOrder = {
  id: string;
  name: string;
  createdAt: string;
  displayFinancialStatus: string | null;
  displayFulfillmentStatus: string;
  currentTotalPriceSet: Priced;
  lineItems: { nodes: { id: string }[] };
};
type OrderLine = {
  id: string;
  title: string;
  sku: string | null;
  quantity: number;
  currentQuantity: number;
  /** Null: deleted since. */
  variant: { id: string } | null;
  discountedUnitPriceSet: Priced;
};
type LinePart = { quantity: number; lineItem: { id: string } };
type StorefrontFulfillment = {
  id: string;
  status: string;
  createdAt: string;
  trackingInfo?: { company: string | null; number: string | null; url: string | null }[];
  fulfillmentLineItems: { nodes: LinePart[] };
};
type StorefrontRefund = {
  id: string;
  createdAt: string | null;
  totalRefundedSet: Priced;
  refundLineItems: { nodes: LinePart[] };
};
type WholeOrder = Omit<StorefrontOrder, "lineItems"> & {
  customer: { id: string } | null;
  lineItems: { nodes: OrderLine[] };
  fulfillments: StorefrontFulfillment[];
  totalPriceSet?: Priced;
  cancelledAt?: string | null;
  refunds?: StorefrontRefund[];
};

type OrderSummary = ReturnType<typeof toSummary>;
type OrderPage = { orders: OrderSummary[]; next: string | null };

const toSummary = (order: StorefrontOrder) => ({
  id: order.id,
  name: order.name,
  created_at: order.createdAt,
  financial_status: order.displayFinancialStatus,
  fulfillment_status: order.displayFulfillmentStatus,
  total: toMoney(order.currentTotalPriceSet.shopMoney),
  line_item_count: order.lineItems.nodes.length,
});

/** The storefront customer that this account is verified to be. */
export const customerOf = (account: Account): string | null =>
  isProven(account) ? account.storefront_customer_gid : null;

type Asked = { limit: number; /** The storefront's own cursor. */ after: string | null };

/** The person's orders; empty unless the account is verified as the customer. */
export async function listOrders(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  asked: Asked,
): Promise<OrderPage & { isCached: boolean }> {
  const customer = customerOf(account);
  return customer
    ? listOrdersOf(ctx, tenant, { userId: account.id, customer }, asked)
    : { orders: [], next: null, isCached: false };
}

/** The orders of a storefront customer, also for the merchant. */
export async function listOrdersOf(
  ctx: Ctx,
  tenant: Tenant,
  { userId, customer }: { userId: number; customer: string },
  { limit, after }: Asked,
): Promise<OrderPage & { isCached: boolean }> {
  const { sql } = dataOf(ctx, tenant);
  const key = KEYS.orders(
    userId,
    hash("sha256", JSON.stringify([customer, limit, after])).slice(0, 32),
  );
  const cached = await findKey<OrderPage>(sql, key);
  if (cached) return { orders: cached.value.orders, next: cached.value.next, isCached: true };
  const page = await fetchOrders(ctx, tenant, { id: customer, first: limit, after });
  // `user_id` lets a redaction find it.
  await putKey(sql, key, { ...page, user_id: userId }, TTL_SECONDS.orders);
  return { ...page, isCached: false };
}

async function fetchOrders(
  ctx: Ctx,
  tenant: Tenant,
  variables: Record<string, unknown>,
): Promise<OrderPage> {
  type Answer = {
    customer: {
      orders: {
        nodes: StorefrontOrder[];
        pageInfo?: { hasNextPage: boolean; endCursor: string | null };
      };
    } | null;
  };
  const { customer } = await callAdminApi<Answer>(ctx, tenant.shop, {
    document: CUSTOMER_ORDERS,
    variables,
  });
  if (!customer) return { orders: [], next: null };
  return readWhole("orders", () => {
    const { nodes, pageInfo } = customer.orders;
    return {
      orders: nodes.map(toSummary),
      next: pageInfo?.hasNextPage ? pageInfo.endCursor : null,
    };
  });
}

/** An order's gid or number, as a gid; null for anything else. */
export function toOrderGid(id: string): string | null {
  const number = /^(?:gid:\/\/shopify\/Order\/)?(\d{1,20})$/.exec(id)?.[1];
  return number ? `gid://shopify/Order/${number}` : null;
}

/** Null when there is none, or when it is another person's: the responses are the same. */
export async function findOrder(ctx: Ctx, tenant: Tenant, account: Account, id: string) {
  const order = await readOrder(ctx, tenant, account, id);
  return order && readWhole("an order", () => toOrder(order));
}

/** With what became of it: what was shipped of each line, refunds, and the total before them. */
export async function findOrderHistory(ctx: Ctx, tenant: Tenant, account: Account, id: string) {
  const order = await readOrder(ctx, tenant, account, id);
  return order && readWhole("an order", () => ({ ...toOrder(order), ...toHistory(order) }));
}
export type OrderHistory = NonNullable<Awaited<ReturnType<typeof findOrderHistory>>>;

async function readOrder(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  id: string,
): Promise<WholeOrder | null> {
  const customer = customerOf(account);
  const gid = toOrderGid(id);
  if (!customer || !gid) return null;
  type Answer = { order: (Omit<WholeOrder, "fulfillments"> & Partial<WholeOrder>) | null };
  const { order } = await callAdminApi<Answer>(ctx, tenant.shop, {
    document: ORDER,
    variables: { id: gid },
  });
  return order?.customer?.id === customer ? { fulfillments: [], ...order } : null;
}

const toOrder = (order: WholeOrder) => ({
  ...toSummary(order),
  line_items: order.lineItems.nodes.map((line) => ({
    id: line.id,
    title: toPlainText(line.title, 255),
    sku: line.sku ?? null,
    quantity: line.quantity,
    price: toMoney(line.discountedUnitPriceSet.shopMoney),
  })),
  fulfillments: order.fulfillments.map(({ id, status, createdAt, trackingInfo = [] }) => ({
    id,
    status,
    created_at: createdAt,
    tracking: trackingInfo.map(({ company, number, url }) => ({
      company,
      number,
      url: toLink(url),
    })),
  })),
});

type Quantities = Record<string, number>;

/** The quantities by the id of their line. */
function toQuantities(parts: readonly LinePart[]): Quantities {
  const sums = new Map<string, number>();
  for (const { lineItem, quantity } of parts)
    sums.set(lineItem.id, (sums.get(lineItem.id) ?? 0) + quantity);
  return Object.fromEntries(sums);
}

function toHistory(order: WholeOrder) {
  const shipped = order.fulfillments
    .filter(({ status }) => status === "SUCCESS")
    .flatMap(({ fulfillmentLineItems }) => fulfillmentLineItems.nodes);
  return {
    first_total: toMoney((order.totalPriceSet ?? order.currentTotalPriceSet).shopMoney),
    canceled_at: order.cancelledAt ?? null,
    variants: Object.fromEntries(
      order.lineItems.nodes.flatMap(({ id, variant }) => (variant ? [[id, variant.id]] : [])),
    ) as Record<string, string>,
    /** Without what was refunded or removed. */
    current: Object.fromEntries(
      order.lineItems.nodes.map(({ id, currentQuantity }) => [id, currentQuantity]),
    ),
    shipped: toQuantities(shipped),
    parcels: Object.fromEntries(
      order.fulfillments.map(({ id, fulfillmentLineItems }) => [
        id,
        toQuantities(fulfillmentLineItems.nodes),
      ]),
    ) as Record<string, Quantities>,
    refunds: (order.refunds ?? []).map(({ id, createdAt, totalRefundedSet, refundLineItems }) => ({
      id,
      created_at: createdAt,
      total: toMoney(totalRefundedSet.shopMoney),
      quantities: toQuantities(refundLineItems.nodes),
    })),
  };
}

/** Whether an order with this name, for example #1001, is among the person's own. */
export async function hasOrderNamed(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  name: string,
): Promise<boolean> {
  const customer = customerOf(account);
  const word = /^#?([\w-]{1,40})$/.exec(name)?.[1];
  if (!customer || !word) return false;
  const { orders } = await fetchOrders(ctx, tenant, {
    id: customer,
    first: 1,
    after: null,
    query: `name:#${word}`,
  });
  return orders.some((order) => order.name.replace(/^#/, "") === word);
}
