/**
 * Discounts of the sandbox storefront: percentages off single items, off the order or off the delivery, by
 * code or automatic, as the Storefront API reports them in a cart.
 */
import type { ShopState } from "../state.ts";

export type Discount = {
  /** Null: automatic. */
  code: string | null;
  title: string;
  percent: number;
  /**
   * `items`: off each line; `order`: off the cart; `delivery`: off the chosen option, in the total alone: the
   * cart says that the code applies and names no amount.
   */
  on: "items" | "order" | "delivery";
  isActive?: boolean;
  /** For `items`: how many units of each line are discounted; they become a line of their own. */
  units?: number;
  /** Only for carts with an email address. */
  forKnown?: boolean;
};

type Money = { amount: string; currencyCode: string };
type Allocation = { __typename: string; discountedAmount: Money; code?: string; title?: string };
type CartDiscounts = {
  codes: { code: string; applicable: boolean }[];
  warnings: { code: string; message: string }[];
  counting: Discount[];
};

const sameCode = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

export function putDiscount(shop: ShopState, discount: Discount): void {
  const others = (shop.discounts ?? []).filter(({ title }) => title !== discount.title);
  shop.discounts = [...others, discount];
}

/** The newest version of each discount: a code that ended meanwhile takes nothing off. */
export function discountsOf(
  shop: ShopState,
  asked: readonly string[],
  email: string | null,
): CartDiscounts {
  const all = shop.discounts ?? [];
  const warnings: CartDiscounts["warnings"] = [];
  const counting = all.filter(({ code, isActive = true }) => code === null && isActive);
  const codes = asked.map((code) => {
    const found = all.find((one) => one.code !== null && sameCode(one.code, code));
    const problem = problemOf(found, email);
    if (problem !== null)
      warnings.push({ code: problem, message: `The discount code ${code} is not applied.` });
    else counting.push(found as Discount);
    return { code, applicable: problem === null };
  });
  return { codes, warnings, counting };
}

function problemOf(found: Discount | undefined, email: string | null): string | null {
  if (!found) return "DISCOUNT_NOT_FOUND";
  if (found.isActive === false) return "DISCOUNT_CURRENTLY_INACTIVE";
  return found.forKnown && email === null ? "DISCOUNT_ELIGIBLE_CUSTOMER_MISSING" : null;
}

/** The lines of a cart, split where a discount counts for some of the units only. */
export function splitLines<Line extends { quantity: number }>(
  counting: readonly Discount[],
  lines: readonly Line[],
): (Line & { counting: readonly Discount[] })[] {
  const units = counting.find((discount) => discount.units !== undefined)?.units;
  const others = counting.filter((discount) => discount.units === undefined);
  return lines.flatMap((line) =>
    units === undefined || units >= line.quantity
      ? [{ ...line, counting }]
      : [
          { ...line, quantity: units, counting },
          { ...line, quantity: line.quantity - units, counting: others },
        ],
  );
}

/** What the discounts of one kind take off an amount in cents, one after the other. */
export function allocate(
  counting: readonly Discount[],
  on: Discount["on"],
  cents: number,
  money: (cents: number) => Money,
): { left: number; allocations: Allocation[] } {
  let left = cents;
  const allocations = counting
    .filter((discount) => discount.on === on)
    .map(({ code, title, percent }) => {
      const off = Math.round((left * percent) / 100);
      left -= off;
      const name =
        code === null
          ? { __typename: "CartAutomaticDiscountAllocation", title }
          : { __typename: "CartCodeDiscountAllocation", code };
      return { ...name, discountedAmount: money(off) };
    });
  return { left, allocations };
}
