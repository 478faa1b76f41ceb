// A checkout in UCP's shape (schemas/shopping/checkout.json), converted from and to
// `/commerce/checkout`.
import { AppError } from "../../../runtime/errors.ts";
import { reasonsOf } from "../../../runtime/field-problem.ts";
import type { Checkout, CheckoutLine } from "../../commerce/checkout/checkout.ts";
import { CheckoutInput } from "../../commerce/checkout/checkout-input.ts";
import type { CheckoutMessage } from "../../commerce/checkout/checkout-messages.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import type { CartLine } from "../carts.ts";
import { toMinorUnits } from "../minor-units.ts";
import type { GivenDelivery } from "./fulfillment.ts";
import { errorMessage, linksOf, totalsOf, type UcpMessage } from "./envelope.ts";

/** The shopper's page of an order at the storefront. */
export const permalinkOf = (tenant: Tenant, orderId: string): string =>
  `https://${tenant.shop}/account/orders/${orderId.split("/").pop()}`;

/** The payment address has another name in UCP. */
const toUcpMessage = ({ code, content, severity }: CheckoutMessage): UcpMessage =>
  errorMessage(code, content.replaceAll("checkout_url", "continue_url"), severity);

export function toUcpCheckout(tenant: Tenant, checkout: Checkout) {
  const {
    id,
    status,
    currency,
    checkout_url: url,
    mandate_id: mandateId,
    client_id: clientId,
    expires_at,
    order_id: orderId,
  } = checkout;
  const messages = (checkout.messages ?? []).map(toUcpMessage);
  const lines = checkout.line_items.map((line) => toUcpLine(line, checkout));
  const offItems = lines.reduce((sum, { off }) => sum + off, 0);
  const isOver = status === "completed" || status === "canceled";
  return {
    id,
    status,
    currency,
    line_items: lines.map(({ line }, index) => ({ id: `li_${index + 1}`, ...line })),
    totals: checkoutTotals(checkout, offItems),
    links: linksOf(tenant),
    expires_at,
    ...(url && !isOver && { continue_url: url }),
    ...(messages.length > 0 && { messages }),
    ...(orderId && { order: { id: orderId, permalink_url: permalinkOf(tenant, orderId) } }),
    ...(mandateId && { mandate_id: mandateId }),
    ...(clientId && { client_id: clientId }),
  };
}

/**
 * The parts of the total, which add up to it. A checkout names no taxes and fees: they are what the
 * total has beyond the other parts, and a negative rest is a discount. `offItems`: what discounts of
 * the lines take off.
 */
function checkoutTotals(checkout: Checkout, offItems: number) {
  const { currency, delivery } = checkout;
  const subtotal = toMinorUnits(checkout.totals.subtotal, currency);
  const total = toMinorUnits(checkout.totals.total, currency);
  const option = delivery?.options.find(({ id }) => id === delivery.option_id);
  const shipping = option ? toMinorUnits(option.amount, currency) : 0;
  const offOrder = Math.max(0, discountOf(checkout) - offItems);
  const others = total - subtotal - shipping + offOrder;
  const discount = offOrder - Math.min(0, others);
  const nameOfOthers = option ? "Taxes and fees" : "Shipping, taxes and fees";
  return [
    { type: "subtotal", amount: subtotal + offItems },
    ...(offItems > 0 ? [{ type: "items_discount", amount: -offItems }] : []),
    ...(discount > 0 ? [{ type: "discount", amount: -discount }] : []),
    ...(option ? [{ type: "fulfillment", display_text: option.title, amount: shipping }] : []),
    ...(others > 0 ? [{ type: "fee", display_text: nameOfOthers, amount: others }] : []),
    { type: "total", amount: total },
  ];
}

/** What all its discounts take off, of items, order and delivery. */
const discountOf = ({ discounts, currency }: Checkout): number =>
  (discounts?.applied ?? []).reduce((sum, { amount }) => sum + toMinorUnits(amount, currency), 0);

/** `off`: what discounts of the line took off its price; a draft order's prices are without it. */
function toUcpLine(
  { variant_id, title, quantity, price, total }: CheckoutLine,
  { source, currency }: Checkout,
) {
  const paid = toMinorUnits(total.amount, currency);
  const each = toMinorUnits(price.amount, currency);
  const off = source === "cart" ? Math.max(0, each * quantity - paid) : 0;
  const [subtotal, sum] = totalsOf(paid + off, paid);
  const discount = off > 0 ? [{ type: "items_discount", amount: -off }] : [];
  return {
    off,
    line: {
      item: { id: variant_id, title, price: each },
      quantity,
      totals: [subtotal, ...discount, sum],
    },
  };
}

/**
 * The same as at `/commerce/checkout`, so that an idempotency key means the same on both. Throws
 * `invalid_request`.
 */
export function toCheckoutInput(
  lines: readonly CartLine[],
  {
    mandateId,
    codes,
    delivery,
  }: {
    mandateId?: string | undefined;
    codes: readonly string[] | undefined;
    delivery: GivenDelivery;
  },
): CheckoutInput {
  const input = CheckoutInput.safeParse({
    line_items: lines.map(({ variantId, quantity }) => ({ variant_id: variantId, quantity })),
    ...(codes !== undefined && { discount_codes: codes }),
    ...(delivery !== undefined && { delivery }),
    ...(mandateId !== undefined && { mandate_id: mandateId }),
  });
  if (!input.success)
    throw new AppError("invalid_request", {
      fields: reasonsOf(input.error),
    });
  return input.data;
}
