// An order in UCP's shape (schemas/shopping/order.json), converted from `/commerce/orders/:id`.
import type { Ctx } from "../../../context.server.ts";
import type { findOrder } from "../../commerce/orders.ts";
import type { Person } from "../../identity/account.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { toMinorUnits } from "../minor-units.ts";
import { permalinkOf } from "./checkouts.ts";
import { totalsOf } from "./envelope.ts";

type Order = NonNullable<Awaited<ReturnType<typeof findOrder>>>;

const LINE_STATUS: Record<string, string> = {
  FULFILLED: "fulfilled",
  PARTIALLY_FULFILLED: "partial",
};

/** The difference between total and items: shipping, taxes and fees, or an order discount. */
function toDifference(difference: number): object[] {
  if (difference === 0) return [];
  return difference > 0
    ? [{ type: "fee", display_text: "Shipping, taxes and fees", amount: difference }]
    : [{ type: "discount", amount: difference }];
}

/** `checkoutId` is empty for an order without a checkout here. */
export function toUcpOrder(tenant: Tenant, order: Order, checkoutId: string) {
  const { currency } = order.total;
  const [subtotal, total] = [
    order.line_items.reduce(
      (sum, { price, quantity }) => sum + toMinorUnits(price.amount, currency) * quantity,
      0,
    ),
    toMinorUnits(order.total.amount, currency),
  ];
  const isWhole = order.fulfillment_status === "FULFILLED";
  const lines = order.line_items.map(({ id, quantity }) => ({ id, quantity }));
  return {
    id: order.id,
    label: order.name,
    checkout_id: checkoutId,
    permalink_url: permalinkOf(tenant, order.id),
    line_items: order.line_items.map(({ id, title, sku, quantity, price }) => {
      const each = toMinorUnits(price.amount, currency);
      return {
        id,
        item: { id: sku ?? id, title, price: each },
        quantity: { total: quantity, fulfilled: isWhole ? quantity : 0 },
        totals: totalsOf(each * quantity, each * quantity),
        status: LINE_STATUS[order.fulfillment_status] ?? "processing",
      };
    }),
    fulfillment: {
      expectations: [],
      events: order.fulfillments.flatMap((fulfillment) => {
        const event = {
          occurred_at: fulfillment.created_at,
          type: fulfillment.status === "SUCCESS" ? "shipped" : fulfillment.status.toLowerCase(),
          line_items: isWhole && order.fulfillments.length === 1 ? lines : [],
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
