// A checkout in UCP's shape (schemas/shopping/checkout.json), converted from and to
// `/commerce/checkout`.
import { z } from "zod";
import { AppError } from "../../../runtime/errors.ts";
import { CheckoutInput, type Checkout } from "../../commerce/checkout.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import type { CartLine } from "../carts.ts";
import { toMinorUnits } from "../minor-units.ts";
import { errorMessage, linksOf, totalsOf, type UcpMessage } from "./envelope.ts";

/** The shopper's page of an order at the storefront. */
export const permalinkOf = (tenant: Tenant, orderId: string): string =>
  `https://${tenant.shop}/account/orders/${orderId.split("/").pop()}`;

/** UCP requires a reason why the shopper is needed; without a mandate it is always the same. */
const PAYMENT = errorMessage(
  "payment_required",
  "The shopper finishes this checkout at continue_url.",
  "requires_buyer_input",
);

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
  const [subtotal, total] = [
    toMinorUnits(checkout.totals.subtotal, currency),
    toMinorUnits(checkout.totals.total, currency),
  ];
  const messages: UcpMessage[] =
    checkout.messages ?? (status === "requires_escalation" ? [PAYMENT] : []);
  const isOver = status === "completed" || status === "canceled";
  return {
    id,
    status,
    currency,
    line_items: checkout.line_items.map(
      ({ variant_id, title, quantity, price, total: sum }, index) => {
        const amount = toMinorUnits(sum.amount, currency);
        return {
          id: `li_${index + 1}`,
          item: { id: variant_id, title, price: toMinorUnits(price.amount, currency) },
          quantity,
          totals: totalsOf(amount, amount),
        };
      },
    ),
    totals: [
      { type: "subtotal", amount: subtotal },
      ...(total > subtotal
        ? [{ type: "fee", display_text: "Shipping, taxes and fees", amount: total - subtotal }]
        : []),
      ...(total < subtotal ? [{ type: "discount", amount: total - subtotal }] : []),
      { type: "total", amount: total },
    ],
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
 * The same as at `/commerce/checkout`, so that an idempotency key means the same on both. Throws
 * `invalid_request`.
 */
export function toCheckoutInput(
  lines: readonly CartLine[],
  mandateId: string | undefined,
): CheckoutInput {
  const input = CheckoutInput.safeParse({
    line_items: lines.map(({ variantId, quantity }) => ({ variant_id: variantId, quantity })),
    ...(mandateId !== undefined && { mandate_id: mandateId }),
  });
  if (!input.success)
    throw new AppError("invalid_request", { message: z.prettifyError(input.error).slice(0, 500) });
  return input.data;
}
