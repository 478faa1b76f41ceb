// UCP's discount extension of a checkout (schemas/shopping/discount.json): which codes count, what they
// take off, and a warning for each that does not count.
import type { Checkout, DiscountRejection } from "../../commerce/checkout/checkout.ts";
import { toMinorUnits } from "../minor-units.ts";
import type { UcpMessage } from "./envelope.ts";

const CONTENT: Record<DiscountRejection, string> = {
  discount_code_invalid: "The store does not accept this code for these items.",
  discount_code_expired: "The code has ended, or was used as often as it may be.",
  discount_code_user_not_logged_in: "The code is for customers that the store knows.",
  discount_code_user_ineligible: "The code is not for this shopper.",
  discounts_not_supported:
    "The code was not applied. The shopper enters discount codes at continue_url.",
};

/** Empty when no code was sent and the store takes nothing off. */
export function toUcpDiscounts({ discounts, currency }: Checkout): object {
  if (!discounts) return {};
  const { codes, applied } = discounts;
  return {
    discounts: {
      codes,
      applied: applied.map(({ code, title, amount }) => ({
        ...(code === null ? { automatic: true } : { code }),
        title,
        amount: toMinorUnits(amount, currency),
      })),
    },
  };
}

export const rejectedCodes = ({ discounts }: Checkout): UcpMessage[] =>
  (discounts?.rejected ?? []).map(({ code, reason }) => ({
    type: "warning",
    code: reason,
    content: CONTENT[reason],
    path: `$.discounts.codes[${discounts?.codes.indexOf(code)}]`,
  }));
