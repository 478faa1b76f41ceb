// Completes a checkout when the storefront reports its order (webhook orders/create). The order is
// matched by its cart or by the attribute `checkout_id`. It counts only when it has the checkout's
// customer, or one of the checkout's own carts or draft orders. Each order counts once, also the further
// ones of a checkout whose carts are paid more than once.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../db.server.ts";
import { gidOf, PayloadId } from "../../../integrations/storefront/payload-ids.ts";
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import { DONE } from "../../agent-activity/agent-call.ts";
import { writeAgentCall } from "../../agent-activity/record-agent-call.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { CUSTOMER_GID } from "../../customers/customer-change.ts";
import { CHECKOUT_ATTRIBUTE } from "../cart/cart.ts";
import { addedBy, amountOf, cartIdOf, CART_TOKEN, ordersOf, ownCarts } from "../cart/paid-carts.ts";
import { readCart } from "../cart/storefront-cart.ts";
import {
  CHECKOUT_COLUMNS,
  getCheckoutRow,
  holdsMandate,
  type CheckoutRow,
  type CountedOrder,
} from "./checkout.ts";
import { enqueueCommerceEvent } from "../commerce-events.ts";
import { release, spend } from "../mandate-ledger.ts";
import { toRounded } from "../money.ts";

const Price = z.union([z.string(), z.number()]).nullish().catch(null);

// Anyone with a cart's address can give it attributes: a field that is not as expected counts as absent, and never
// keeps a paid order from being counted.
const Order = z.looseObject({
  id: PayloadId,
  admin_graphql_api_id: z
    .string()
    .regex(/^gid:\/\/shopify\/Order\/\d{1,20}$/)
    .nullish()
    .catch(null),
  cart_token: z.string().min(1).max(200).transform(cartIdOf).nullish().catch(null),
  note_attributes: z.array(z.unknown()).nullish().catch(null),
  customer: z
    .looseObject({
      admin_graphql_api_id: z.string().regex(CUSTOMER_GID).nullish().catch(null),
      id: PayloadId,
    })
    .nullish()
    .catch(null),
  subtotal_price: Price,
  total_price: Price,
  currency: z.string().nullish().catch(null),
});
type Order = z.output<typeof Order>;

/** The order's gid; null where it names none that can be relied on. */
const orderIdOf = ({ admin_graphql_api_id: gid, id }: Order): string | null =>
  gid ?? gidOf("Order", id);

/** The customer's gid; null: a guest, or an id that cannot be relied on. */
const buyerOf = ({ customer }: Order): string | null =>
  customer?.admin_graphql_api_id ?? gidOf("Customer", customer?.id);

/** For the webhook of a new order. Safe to repeat; an order counts also for a canceled checkout. */
export async function completeFromOrder(ctx: Ctx, tenant: Tenant, payload: unknown): Promise<void> {
  const parsed = Order.safeParse(payload);
  if (!parsed.success) return;
  const order = parsed.data;
  const orderId = orderIdOf(order);
  const found = await findCheckout(ctx, tenant, order);
  if (found === null) return;
  const outcome = await dataOf(ctx, tenant).transaction(async (sql) => {
    const row = await getCheckoutRow(sql, found.id, null, { lock: true });
    const cart = ownCarts(row).find(({ id }) => id === found.cartId) ?? null;
    const amount = amountOf(row, cart, paidIn(order, row));
    const counted = { id: orderId, amount, is_own: cart !== null };
    if (row.stored_status !== "completed") {
      await completeWithin(ctx, tenant, sql, row, counted);
      return "checkout.completed";
    }
    // An order without an id could be one that counted.
    if (cart === null || orderId === null || ordersOf(row).some(({ id }) => id === orderId))
      return null;
    await countOrder(ctx, tenant, sql, row, counted);
    return "checkout.order_counted";
  });
  if (outcome)
    ctx.log.info(outcome, { shop: tenant.shop, checkout_id: found.id, order_id: orderId });
}

type Candidate = CheckoutRow & { customer_gid: string | null };

const WITH_CUSTOMER = `SELECT ${CHECKOUT_COLUMNS}, (SELECT u.storefront_customer_gid
  FROM storefront_users u WHERE u.shop = $1 AND u.id = customer_id) AS customer_gid FROM checkout_sessions`;
const BY_ID = `${WITH_CUSTOMER} WHERE shop = $1 AND id = $2`;
// Each of the two by its index: every order of the store asks, and most are of no checkout.
export const BY_CART = `
  ${WITH_CUSTOMER} WHERE shop = $1 AND id IN (
    SELECT id FROM checkout_sessions WHERE shop = $1 AND ${CART_TOKEN} = $2
    UNION ALL SELECT id FROM checkout_sessions WHERE shop = $1
      AND replaced_carts @> jsonb_build_array(jsonb_build_object('id', $2::text))
  ) ORDER BY created_at DESC LIMIT 1`;

/**
 * The checkout one of whose carts was paid, else the one that the order names; null when there is
 * neither. The cart decides: anyone who has its address can change its attribute. `cartId`
 * null: another cart was paid. Throws OutboundError.
 */
async function findCheckout(
  ctx: Ctx,
  tenant: Tenant,
  order: Order,
): Promise<{ id: string; cartId: string | null } | null> {
  for (const row of await candidatesFor(ctx, tenant, order)) {
    const buyer = buyerOf(order);
    const isKnown = buyer !== null && row.customer_gid !== null;
    if (isKnown && buyer !== row.customer_gid) continue;
    const cartId = await paidCartOf(ctx, tenant, order, row).catch((error: unknown) => {
      // Only a guest's order depends on the storefront's answer.
      if (isKnown && error instanceof OutboundError) return null;
      throw error;
    });
    // Anyone can put an attribute into their own cart, so it proves nothing: an order belongs to a
    // checkout of the same customer, or, for a guest, to the one whose own cart was paid (DECISIONS 21).
    if (isKnown || cartId !== null) return { id: row.id, cartId };
  }
  return null;
}

async function candidatesFor(ctx: Ctx, tenant: Tenant, order: Order): Promise<Candidate[]> {
  const { sql } = dataOf(ctx, tenant);
  const { note_attributes: attributes, cart_token: token } = order;
  const name = z.uuid().safeParse(attributes?.map(toCheckoutId).find((id) => id !== undefined));
  const named = name.success ? await sql<Candidate>(BY_ID, [name.data]) : [];
  if (!token || named.some((row) => hasCart(row, token))) return named;
  return [...(await sql<Candidate>(BY_CART, [token])), ...named];
}

const Attribute = z.looseObject({
  name: z.literal(CHECKOUT_ATTRIBUTE),
  value: z.unknown().optional(),
});
const toCheckoutId = (attribute: unknown): unknown => Attribute.safeParse(attribute).data?.value;

const hasCart = (row: CheckoutRow, cartId: string): boolean =>
  ownCarts(row).some(({ id }) => id === cartId);

/**
 * Which of the checkout's carts the order paid; null: none of them. A draft order has no token: the
 * storefront is asked which order it became, unless the store can no longer be called.
 */
async function paidCartOf(
  ctx: Ctx,
  tenant: Tenant,
  order: Order,
  row: CheckoutRow,
): Promise<string | null> {
  const [orderId, token] = [orderIdOf(order), order.cart_token];
  if (token) return hasCart(row, token) ? token : null;
  const drafts = ownCarts(row).filter(({ id }) => id.startsWith("gid:"));
  if (!orderId || ordersOf(row).some(({ id }) => id === orderId)) return null;
  try {
    for (const { id } of drafts) {
      const draft = await readCart(ctx, tenant, { source: "draft_order", external_id: id });
      if (draft?.orderId === orderId) return id;
    }
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
  return null;
}

/** The amount that the order says was paid for its cart; null when it names no cart or amount, or another currency. */
function paidIn(
  { cart_token: token, subtotal_price: subtotal, total_price: total, currency }: Order,
  row: CheckoutRow,
): string | null {
  if (!token || (currency && currency !== row.currency)) return null;
  try {
    return toRounded(subtotal ?? total ?? "");
  } catch {
    return null;
  }
}

/** `row` is locked and not completed. */
export async function completeWithin(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  row: CheckoutRow,
  order: CountedOrder,
): Promise<CheckoutRow> {
  if (holdsMandate(row)) await release(sql, row.mandate_id, row.reserved_amount);
  const orders = await countOrder(ctx, tenant, sql, row, order);
  await enqueueCommerceEvent(ctx, tenant, sql, {
    userId: row.customer_id,
    name: "ucp_checkout_completed",
  });
  return {
    ...row,
    ...orders,
    status: "completed",
    stored_status: "completed",
    reserved_amount: "0.00",
  };
}

// A deleted account keeps no record of its purchases.
const IS_KEPT = `EXISTS (SELECT 1 FROM storefront_users u WHERE u.shop = c.shop
  AND u.id = c.customer_id AND u.status <> 'deleted')`;
const STORE_ORDERS = `
  UPDATE checkout_sessions c SET status = 'completed', reserved_amount = 0, updated_at = clock_timestamp(),
    order_id = CASE WHEN ${IS_KEPT} THEN coalesce(c.order_id, $3) END,
    orders = CASE WHEN ${IS_KEPT} THEN $4::jsonb END
  WHERE c.shop = $1 AND c.id = $2 RETURNING order_id, orders`;

/** `row` is locked, holds nothing of its mandate any more, and does not have this order yet. */
async function countOrder(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  row: CheckoutRow,
  order: CountedOrder,
): Promise<Pick<CheckoutRow, "order_id" | "orders">> {
  const before = ordersOf(row);
  const amount = addedBy(order, before);
  if (row.mandate_id !== null) await spend(sql, row.mandate_id, amount);
  const [stored] = await sql<Pick<CheckoutRow, "order_id" | "orders">>(STORE_ORDERS, [
    row.id,
    order.id,
    JSON.stringify([...before, order]),
  ]);
  // A checkout without an agent and a mandate was the shopper's own.
  if (row.client_id !== null || row.mandate_id !== null)
    await writeAgentCall(ctx, tenant, sql, {
      ...DONE,
      operation: "pay_checkout",
      caller: { clientId: row.client_id, userId: row.customer_id },
      money: { amount, currency: row.currency, mandateId: row.mandate_id },
    });
  return stored ?? { order_id: null, orders: null };
}
