// Discounts of a storefront's cart: the codes that were asked for, those that count, and the store's
// automatic ones.
import type { Discounts, DiscountRejection } from "../checkout/checkout.ts";
import { toPlainText } from "../catalog-text.ts";
import { fromCents, toCents, toRounded, type StorefrontMoney } from "../money.ts";

const MAX_TITLE = 255;

type Allocation = { discountedAmount: StorefrontMoney; code?: string; title?: string };
export type CartDiscounts = {
  discountCodes?: { code: string; applicable: boolean }[];
  discountAllocations?: Allocation[];
  lines: { nodes: { discountAllocations?: Allocation[] }[] };
};
export type CartWarning = { code: string; message: string };

/** Codes of the Storefront API (`CartWarningCode`) in UCP's words; the rest is `invalid`. */
const REASONS: Record<string, DiscountRejection> = {
  DISCOUNT_CURRENTLY_INACTIVE: "discount_code_expired",
  DISCOUNT_USAGE_LIMIT_REACHED: "discount_code_expired",
  DISCOUNT_ELIGIBLE_CUSTOMER_MISSING: "discount_code_user_not_logged_in",
  DISCOUNT_CUSTOMER_NOT_ELIGIBLE: "discount_code_user_ineligible",
  DISCOUNT_CUSTOMER_USAGE_LIMIT_REACHED: "discount_code_user_ineligible",
};

/**
 * The code that takes off the delivery, when there is one: it applies, and the storefront allocates
 * nothing of it to the cart or its lines.
 */
export function findDeliveryCode(cart: CartDiscounts): string | null {
  const allocated = allocationsOf(cart).map(({ code }) => code?.toLowerCase());
  const found = (cart.discountCodes ?? []).find(
    ({ code, applicable }) => applicable && !allocated.includes(code.toLowerCase()),
  );
  return found?.code ?? null;
}

const allocationsOf = (cart: CartDiscounts): Allocation[] => [
  ...(cart.discountAllocations ?? []),
  ...cart.lines.nodes.flatMap((line) => line.discountAllocations ?? []),
];

/**
 * Null when none was asked for and the store gives none. `deliveryOff`: what the code for the delivery
 * takes off it.
 */
export function readDiscounts(
  asked: readonly string[],
  cart: CartDiscounts,
  deliveryOff: string | null,
  warnings: readonly CartWarning[] = [],
): Discounts | null {
  const { discountCodes: known = [] } = cart;
  const isApplied = (code: string) =>
    known.some((one) => one.applicable && one.code.toLowerCase() === code.toLowerCase());
  const refused = asked.filter((code) => !isApplied(code));
  const reasons = warnings.filter(({ code }) => code.startsWith("DISCOUNT_"));
  // A warning does not name its code: the reasons count only when each refused code has one.
  const hasReasons = reasons.length === refused.length;
  const rejected = refused.map((code, index) => ({
    code,
    reason:
      (hasReasons && REASONS[reasons[index]?.code ?? ""]) || ("discount_code_invalid" as const),
  }));
  const deliveryCode = toPlainText(findDeliveryCode(cart) ?? "", MAX_TITLE);
  const applied = sumOf(allocationsOf(cart));
  if (deliveryOff !== null)
    applied.push({ code: deliveryCode, title: deliveryCode, amount: deliveryOff });
  return asked.length + applied.length === 0 ? null : { codes: [...asked], applied, rejected };
}

/** One entry for each discount, whose parts are spread over the lines. */
function sumOf(allocations: readonly Allocation[]): Discounts["applied"] {
  const byName = new Map<string, { code: string | null; title: string; cents: bigint }>();
  for (const { code, title, discountedAmount } of allocations) {
    const name = toPlainText(code ?? title ?? "", MAX_TITLE);
    const key = `${code === undefined ? "automatic" : "code"} ${name.toLowerCase()}`;
    const known = byName.get(key) ?? {
      code: code === undefined ? null : name,
      title: name,
      cents: 0n,
    };
    known.cents += toCents(toRounded(discountedAmount.amount));
    byName.set(key, known);
  }
  return [...byName.values()]
    .filter(({ cents }) => cents > 0n)
    .map(({ code, title, cents }) => ({ code, title, amount: fromCents(cents) }));
}

/** A draft order takes no codes from us. */
export const notCarried = (asked: readonly string[]): Discounts | null =>
  asked.length === 0
    ? null
    : {
        codes: [...asked],
        applied: [],
        rejected: asked.map((code) => ({ code, reason: "discounts_not_supported" })),
      };
