// Why the shopper has to continue a checkout in person, in UCP's terms.

/** The stored reasons; without one it is the payment, which only the shopper can make. */
export type Escalation = "price_changed" | "out_of_stock" | "offer_unconfirmed";
export type CheckoutMessage = {
  type: "error";
  code: string;
  content: string;
  severity: "requires_buyer_input" | "requires_buyer_review";
};

const CONTENT: Record<Escalation, string> = {
  price_changed:
    "Prices or items are no longer those of this checkout. Show the shopper checkout_url, or update the checkout to take the prices of now.",
  out_of_stock:
    "An item is no longer for sale. Update the checkout to what the store still has, or show the shopper checkout_url.",
  offer_unconfirmed:
    "The storefront does not confirm the prices at this moment. Try again, or show the shopper checkout_url.",
};

export const escalationMessage = (reason: Escalation | null): CheckoutMessage =>
  reason === null
    ? {
        type: "error",
        code: "payment_required",
        content: "The shopper finishes this checkout at checkout_url.",
        severity: "requires_buyer_input",
      }
    : {
        type: "error",
        code: reason,
        content: CONTENT[reason],
        severity: "requires_buyer_review",
      };
