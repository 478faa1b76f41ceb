// An order in UCP's shape (schemas/shopping/order.json): what was bought, what was shipped of it, and as
// adjustments what happened to the money since.
import type { Ctx } from "../../../context.server.ts";
import type { OrderHistory } from "../../commerce/orders.ts";
import type { Person } from "../../identity/account.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { toMinorUnits } from "../minor-units.ts";
import { permalinkOf } from "./checkouts.ts";
import { totalsOf } from "./envelope.ts";

/** UCP "Order Line Item", Status Derivation. */
function statusOf(total: number, fulfilled: number): string {
  if (total === 0) return "removed";
  if (fulfilled === total) return "fulfilled";
  return fulfilled > 0 ? "partial" : "processing";
}

type Quantities = Record<string, number>;
const toLines = (quantities: Quantities, sign: 1 | -1 = 1) =>
  Object.entries(quantities).map(([id, quantity]) => ({ id, quantity: sign * quantity }));

/** What happened to the money after the order; the order's totals are those before. */
function toAdjustments({ id, refunds, canceled_at, created_at }: OrderHistory): object[] {
  const canceled = canceled_at && {
    id: `${id}#canceled`,
    type: "cancellation",
    occurred_at: canceled_at,
    status: "completed",
  };
  return [
    ...(canceled ? [canceled] : []),
    ...refunds.map(({ id: refundId, created_at: refundedAt, total, quantities }) => ({
      id: refundId,
      type: "refund",
      occurred_at: refundedAt ?? created_at,
      status: "completed",
      line_items: toLines(quantities, -1),
      totals: [{ type: "total", amount: -toMinorUnits(total.amount, total.currency) }],
    })),
  ];
}

/** The difference between total and items: shipping, taxes and fees, or an order discount. */
function toDifference(difference: number): object[] {
  if (difference === 0) return [];
  return difference > 0
    ? [{ type: "fee", display_text: "Shipping, taxes and fees", amount: difference }]
    : [{ type: "discount", amount: difference }];
}

/** `checkoutId` is empty for an order without a checkout here. */
export function toUcpOrder(tenant: Tenant, order: OrderHistory, checkoutId: string) {
  const { currency } = order.first_total;
  const [subtotal, total] = [
    order.line_items.reduce(
      (sum, { price, quantity }) => sum + toMinorUnits(price.amount, currency) * quantity,
      0,
    ),
    toMinorUnits(order.first_total.amount, currency),
  ];
  const adjustments = toAdjustments(order);
  return {
    id: order.id,
    label: order.name,
    checkout_id: checkoutId,
    permalink_url: permalinkOf(tenant, order.id),
    line_items: order.line_items.map(({ id, title, sku, quantity, price }) => {
      const each = toMinorUnits(price.amount, currency);
      const total = order.current[id] ?? quantity;
      const fulfilled = Math.min(total, order.shipped[id] ?? 0);
      return {
        id,
        item: { id: order.variants[id] ?? sku ?? id, title, price: each },
        quantity: { original: quantity, total, fulfilled },
        totals: totalsOf(each * quantity, each * quantity),
        status: statusOf(total, fulfilled),
      };
    }),
    fulfillment: {
      expectations: [],
      events: order.fulfillments.flatMap((fulfillment) => {
        const event = {
          occurred_at: fulfillment.created_at,
          type: fulfillment.status === "SUCCESS" ? "shipped" : fulfillment.status.toLowerCase(),
          line_items: toLines(order.parcels[fulfillment.id] ?? {}),
        };
        const parcels =
          fulfillment.tracking.length > 0
            ? fulfillment.tracking
            : [{ company: null, number: null, url: null }];
        return parcels.map(({ company, number, url }, index) => ({
          id: index === 0 ? fulfillment.id : `${fulfillment.id}#${index + 1}`,
          ...event,
          ...(number && { tracking_number: number }),
          ...(url && { tracking_url: url }),
          ...(company && { carrier: company }),
        }));
      }),
    },
    ...(adjustments.length > 0 && { adjustments }),
    currency,
    totals: [
      ...totalsOf(subtotal, total).slice(0, 1),
      ...toDifference(total - subtotal),
      { type: "total", amount: total },
    ],
  };
}

/** This person's checkout one of whose carts became the order; empty when there is none. */
export async function findCheckoutOfOrder(
  ctx: Ctx,
  tenant: Tenant,
  { account }: Person,
  orderId: string,
): Promise<string> {
  const row = await dataOf(ctx, tenant).prisma.checkoutSession.findFirst({
    select: { id: true },
    where: {
      customer_id: account.id,
      OR: [{ order_id: orderId }, { orders: { array_contains: [{ id: orderId }] } }],
    },
  });
  return row?.id ?? "";
}
