// Warnings for fields that a platform sent and this store ignores. Without them an agent would promise its
// shopper a discount or a delivery that does not apply.
import type { UcpMessage } from "./envelope.ts";

type Given = {
  buyer?: Record<string, unknown> | undefined;
  payment?: { instruments?: readonly unknown[] | undefined } | undefined;
  discounts?: unknown;
  fulfillment?: unknown;
};

const warning = (code: string, path: string, content: string): UcpMessage => ({
  type: "warning",
  code,
  content,
  path,
});

const hasCodes = (discounts: unknown): boolean =>
  typeof discounts === "object" &&
  discounts !== null &&
  "codes" in discounts &&
  Array.isArray(discounts.codes) &&
  discounts.codes.length > 0;

const isOther = (email: unknown, own: string | null): boolean =>
  typeof email === "string" && email.trim().toLowerCase() !== own?.toLowerCase();

/** `email`: the signed-in shopper's; undefined for a cart, which has no shopper. */
export function unusedFields(given: Given, email?: string | null): UcpMessage[] {
  const { buyer, payment, discounts, fulfillment } = given;
  return [
    ...(email !== undefined && isOther(buyer?.email, email)
      ? [
          warning(
            "buyer_not_used",
            "$.buyer.email",
            "The checkout is of the shopper who signed in; another address was left out.",
          ),
        ]
      : []),
    ...(buyer?.consent !== undefined
      ? [
          warning(
            "consent_not_recorded",
            "$.buyer.consent",
            "Consents are recorded when the shopper gives them to the store; none was changed.",
          ),
        ]
      : []),
    ...(hasCodes(discounts)
      ? [
          warning(
            "discounts_not_supported",
            "$.discounts.codes",
            "No code was applied. The shopper enters discount codes at continue_url.",
          ),
        ]
      : []),
    ...(fulfillment !== undefined
      ? [
          warning(
            "fulfillment_not_supported",
            "$.fulfillment",
            "Nothing was chosen. The shopper chooses address and delivery at continue_url.",
          ),
        ]
      : []),
    ...((payment?.instruments?.length ?? 0) > 0
      ? [
          warning(
            "payment_not_supported",
            "$.payment.instruments",
            "No instrument was used. The storefront takes the payment at continue_url.",
          ),
        ]
      : []),
  ];
}
