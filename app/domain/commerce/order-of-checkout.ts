// The order that a checkout became. The storefront's webhook tells of it; it is known by the attribute that its basket
// carries, or by its cart.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { CHECKOUT_ATTRIBUTE } from "./basket.ts";
import { getCheckoutRow, holdsMandate, type CheckoutRow } from "./checkout.ts";
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
  subtotal_price: z.string().nullish(),
  total_price: z.string().nullish(),
});
type Order = z.output<typeof Order>;

/** For the webhook of a new order, whoever made it. Safe to repeat; an order is a fact, also for a checkout that was canceled. */
export async function completeFromOrder(ctx: Ctx, tenant: Tenant, payload: unknown): Promise<void> {
  const parsed = Order.safeParse(payload);
  if (!parsed.success) return;
  const order = parsed.data;
  const data = dataOf(ctx, tenant);
  const id = await findCheckoutId(data.sql, order);
  if (id === null) return;
  const isDone = await data.transaction(async (sql) => {
    const row = await getCheckoutRow(sql, id, null, true);
    if (row.stored_status === "completed") return false;
    await completeWithin(ctx, tenant, sql, row, {
      orderId: order.admin_graphql_api_id ?? null,
      amount: isOfBasket(order, row) ? null : amountOf(order),
    });
    return true;
  });
  if (isDone)
    ctx.log.done("checkout.completed", {
      shop: tenant.shop,
      checkout_id: id,
      order_id: order.admin_graphql_api_id,
    });
}

const BY_CART = `
  SELECT id FROM checkout_sessions WHERE shop = $1 AND status NOT IN ('completed', 'canceled') AND source = 'cart' AND split_part(split_part(external_id, '/', 5), '?', 1) = $2
  ORDER BY created_at DESC LIMIT 1`;

async function findCheckoutId(
  sql: TenantSql,
  { note_attributes: attributes, cart_token: cart }: Order,
): Promise<string | null> {
  const named = z
    .uuid()
    .safeParse(attributes?.find(({ name }) => name === CHECKOUT_ATTRIBUTE)?.value);
  const [known] = named.success
    ? await sql<{ id: string }>("SELECT id FROM checkout_sessions WHERE shop = $1 AND id = $2", [
        named.data,
      ])
    : [];
  if (known) return known.id;
  const [open] = cart ? await sql<{ id: string }>(BY_CART, [cart]) : [];
  return open?.id ?? null;
}

/** False when the shopper paid for a basket that the checkout had before it was updated. */
const isOfBasket = (
  { cart_token: cart }: Order,
  { source, external_id: id }: CheckoutRow,
): boolean => !cart || source !== "cart" || id === null || /\/Cart\/([^?]+)/.exec(id)?.[1] === cart;

function amountOf({ subtotal_price: subtotal, total_price: total }: Order): string | null {
  try {
    return toRounded(subtotal ?? total ?? "");
  } catch {
    return null;
  }
}

// An account that is gone keeps no trace of what it bought.
const COMPLETE = `
  UPDATE checkout_sessions c SET status = 'completed', reserved_amount = 0, updated_at = clock_timestamp(),
    order_id = CASE WHEN EXISTS (SELECT 1 FROM storefront_users u WHERE u.shop = c.shop AND u.id = c.customer_id AND u.status <> 'deleted') THEN $3 END
  WHERE c.shop = $1 AND c.id = $2 RETURNING order_id`;

/** `row` is locked and not completed. `amount` is what is counted; null: what the checkout said. */
export async function completeWithin(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  row: CheckoutRow,
  { orderId, amount }: { orderId: string | null; amount: string | null },
): Promise<CheckoutRow> {
  if (row.mandate_id !== null) {
    if (holdsMandate(row)) await release(sql, row.mandate_id, row.reserved_amount);
    await spend(sql, row.mandate_id, amount ?? row.total, false);
  }
  const [completed] = await sql<{ order_id: string | null }>(COMPLETE, [row.id, orderId]);
  await enqueueCommerceEvent(ctx, tenant, sql, row.customer_id, "ucp_checkout_completed");
  return {
    ...row,
    status: "completed",
    stored_status: "completed",
    reserved_amount: "0.00",
    order_id: completed?.order_id ?? null,
  };
}
