// A cart as read from the storefront, whichever way it was made: complete, in its own prices.
import { toLink, toPlainText } from "../catalog-text.ts";
import type { CheckoutLine, Delivery, Discounts } from "../checkout/checkout.ts";
import type { LineItemInput } from "../checkout/checkout-input.ts";
import { toRounded, type Money, type StorefrontMoney } from "../money.ts";
import type { Shipment } from "./cart-delivery.ts";

export type Cart = {
  source: "cart" | "draft_order";
  externalId: string;
  url: string;
  lines: CheckoutLine[];
  subtotal: string;
  total: string;
  currency: string;
  discounts: Discounts | null;
  delivery: Delivery | null;
  /** Whether everything in it can still be bought. */
  isForSale: boolean;
  /** The order that it became. */
  orderId: string | null;
};

/** What is bought, with which discount codes, and where it is sent. */
export type CartWishes = {
  lineItems: readonly LineItemInput[];
  codes: readonly string[];
  shipment: Shipment;
};

/** The attribute that identifies the resulting order. */
export const CHECKOUT_ATTRIBUTE = "checkout_id";
const MAX_TITLE = 255;

export const titleOf = (product: string, variant = "Default Title"): string =>
  toPlainText(variant === "Default Title" ? product : `${product} - ${variant}`, MAX_TITLE);

/** Throws when something is missing. */
export function whole({
  cost: [subtotal, total],
  ...cart
}: Omit<Cart, "subtotal" | "total" | "currency"> & {
  cost: [StorefrontMoney, StorefrontMoney];
}): Cart {
  const rounded = (money: Money): Money => ({ ...money, amount: toRounded(money.amount) });
  if (typeof cart.externalId !== "string" || toLink(cart.url) === null)
    throw new Error("no id or address");
  if (typeof total.currencyCode !== "string") throw new Error("no currency");
  return {
    ...cart,
    lines: cart.lines.map((line) => ({
      ...line,
      price: rounded(line.price),
      total: rounded(line.total),
    })),
    subtotal: toRounded(subtotal.amount),
    total: toRounded(total.amount),
    currency: total.currencyCode,
  };
}
