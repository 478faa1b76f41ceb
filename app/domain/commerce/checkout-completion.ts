// Completes a checkout when the storefront reports its order (webhook orders/create). The order is
// matched by the attribute `checkout_id` or by its cart. It counts only when it has the checkout's
// customer, or the checkout's own cart or draft order.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { CheckoutSession, Columns, TenantSql } from "../../db.server.ts";
import { isAppError } from "../../runtime/errors.ts";
import { DONE } from "../agent-activity/agent-call.ts";
import { writeAgentCall } from "../agent-activity/record-agent-call.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { CUSTOMER_GID } from "../customers/customer-change.ts";
import { CHECKOUT_ATTRIBUTE } from "./cart/cart.ts";
import { readCart } from "./cart/storefront-cart.ts";
import { CHECKOUT_COLUMNS, getCheckoutRow, holdsMandate, type CheckoutRow } from "./checkout.ts";
import { enqueueCommerceEvent } from "./commerce-events.ts";
import { release, spend } from "./mandate-ledger.ts";
import { toRounded } from "./money.ts";

const Order = z.looseObject({
  admin_graphql_api_id: z
    .string()
    .regex(/^gid:\/\/shopify\/Order\/\d{1,20}$/)
    .nullish(),
  cart_token: z.string().min(1).max(200).nullish(),
  note_attributes: z
    .array(z.looseObject({ name: z.string().max(255), value: z.unknown().optional() }))
    .max(500)
    .nullish(),
  customer: z
    .looseObject({ admin_graphql_api_id: z.string().regex(CUSTOMER_GID).nullish().catch(null) })
    .nullish()
    .catch(null),
  subtotal_price: z.string().nullish(),
  total_price: z.string().nullish(),
});
type Order = z.output<typeof Order>;

/** For the webhook of a new order. Safe to repeat; an order counts also for a canceled checkout. */
export async function completeFromOrder(ctx: Ctx, tenant: Tenant, payload: unknown): Promise<void> {
  const parsed = Order.safeParse(payload);
  if (!parsed.success) return;
  const order = parsed.data;
  const data = dataOf(ctx, tenant);
  const row = await findCheckout(ctx, tenant, order);
  if (row === null) return;
  const isDone = await data.transaction(async (sql) => {
    const current = await getCheckoutRow(sql, row.id, null, { lock: true });
    if (current.stored_status === "completed") return false;
    await completeWithin(ctx, tenant, sql, current, {
      orderId: order.admin_graphql_api_id ?? null,
      amount: isOfBasket(order, current) ? null : amountOf(order),
    });
    return true;
  });
  if (isDone)
    ctx.log.info("checkout.completed", {
      shop: tenant.shop,
      checkout_id: row.id,
      order_id: order.admin_graphql_api_id,
    });
}

type Candidate = CheckoutRow & { customer_gid: string | null };

const WITH_CUSTOMER = `SELECT ${CHECKOUT_COLUMNS}, (SELECT u.storefront_customer_gid
  FROM storefront_users u WHERE u.shop = $1 AND u.id = customer_id) AS customer_gid FROM checkout_sessions`;
const BY_ID = `${WITH_CUSTOMER} WHERE shop = $1 AND id = $2`;
const BY_CART = `
  ${WITH_CUSTOMER} WHERE shop = $1 AND status NOT IN ('completed', 'canceled') AND source = 'cart'
    AND split_part(split_part(external_id, '/', 5), '?', 1) = $2
  ORDER BY created_at DESC LIMIT 1`;

/**
 * The checkout that the order names, else the one whose cart it paid; null when there is neither. Throws
 * OutboundError.
 */
async function findCheckout(ctx: Ctx, tenant: Tenant, order: Order): Promise<Candidate | null> {
  const { sql } = dataOf(ctx, tenant);
  const { note_attributes: attributes, cart_token: cart } = order;
  const named = z
    .uuid()
    .safeParse(attributes?.find(({ name }) => name === CHECKOUT_ATTRIBUTE)?.value);
  const [byName] = named.success ? await sql<Candidate>(BY_ID, [named.data]) : [];
  if (byName && (await isOrderOf(ctx, tenant, order, byName))) return byName;
  const [byCart] = cart ? await sql<Candidate>(BY_CART, [cart]) : [];
  return byCart && (await isOrderOf(ctx, tenant, order, byCart)) ? byCart : null;
}

/**
 * Anyone can put an attribute into their own cart, so it proves nothing: an order belongs to a
 * checkout of the same customer, or, for a guest, to the one whose own cart was paid (DECISIONS 21).
 */
async function isOrderOf(ctx: Ctx, tenant: Tenant, order: Order, row: Candidate): Promise<boolean> {
  const buyer = order.customer?.admin_graphql_api_id;
  if (buyer && row.customer_gid !== null) return buyer === row.customer_gid;
  if (row.source === "cart") return isOfCart(order, row);
  return isOfDraft(ctx, tenant, order, row);
}

/**
 * A draft order has no token; the storefront is asked which order it became. False for a store that
 * can no longer be called.
 */
async function isOfDraft(
  ctx: Ctx,
  tenant: Tenant,
  { admin_graphql_api_id: id }: Order,
  row: CheckoutRow,
): Promise<boolean> {
  if (!id) return false;
  try {
    return (await readCart(ctx, tenant, row))?.orderId === id;
  } catch (error) {
    if (isAppError(error)) return false;
    throw error;
  }
}

const cartTokenOf = ({ external_id: id }: CheckoutRow): string | undefined =>
  /\/Cart\/([^?]+)/.exec(id ?? "")?.[1];
const isOfCart = ({ cart_token: token }: Order, row: CheckoutRow): boolean =>
  Boolean(token) && cartTokenOf(row) === token;

/** False when the shopper paid a cart that the checkout had before an update. */
const isOfBasket = (order: Order, row: CheckoutRow): boolean =>
  !order.cart_token || row.source !== "cart" || row.external_id === null || isOfCart(order, row);

function amountOf({ subtotal_price: subtotal, total_price: total }: Order): string | null {
  try {
    return toRounded(subtotal ?? total ?? "");
  } catch {
    return null;
  }
}

// A deleted account keeps no record of its purchases.
const COMPLETE = `
  UPDATE checkout_sessions c SET status = 'completed', reserved_amount = 0, updated_at = clock_timestamp(),
    order_id = CASE WHEN EXISTS (SELECT 1 FROM storefront_users u WHERE u.shop = c.shop
      AND u.id = c.customer_id AND u.status <> 'deleted') THEN $3 END
  WHERE c.shop = $1 AND c.id = $2 RETURNING order_id`;

/**
 * `row` is locked and not completed. `amount` is the amount to count; null: the checkout's total.
 */
export async function completeWithin(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  row: CheckoutRow,
  { orderId, amount }: { orderId: string | null; amount: string | null },
): Promise<CheckoutRow> {
  if (row.mandate_id !== null) {
    if (holdsMandate(row)) await release(sql, row.mandate_id, row.reserved_amount);
    await spend(sql, row.mandate_id, amount ?? row.total);
  }
  const [completed] = await sql<Columns<CheckoutSession, "order_id">>(COMPLETE, [row.id, orderId]);
  await enqueueCommerceEvent(ctx, tenant, sql, row.customer_id, "ucp_checkout_completed");
  // Without both it was the shopper's own checkout.
  if (row.client_id !== null || row.mandate_id !== null)
    await writeAgentCall(ctx, tenant, sql, {
      ...DONE,
      operation: "pay_checkout",
      caller: { clientId: row.client_id, userId: row.customer_id },
      money: {
        amount: amount ?? row.total,
        currency: row.currency,
        mandateId: row.mandate_id,
      },
    });
  return {
    ...row,
    status: "completed",
    stored_status: "completed",
    reserved_amount: "0.00",
    order_id: completed?.order_id ?? null,
  };
}
