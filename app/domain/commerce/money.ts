// Amounts are decimal strings with a currency, on the wire and in the database; never
// floating-point numbers.
export type Money = { amount: string; currency: string };
export type StorefrontMoney = { amount: string; currencyCode: string };

/**
 * The storefront sends 40.0; here it is 40.00. More than two decimals stay unchanged. Throws for an
 * invalid amount: a price such as "undefined.00" must never be shown.
 */
export function toAmount(text: string | number): string {
  const [, whole, decimals = ""] = /^(-?\d+)(?:\.(\d+))?$/.exec(String(text)) ?? [];
  if (whole === undefined) throw new Error("this is no amount");
  return `${whole}.${decimals.padEnd(2, "0")}`;
}

export const toMoney = ({ amount, currencyCode }: StorefrontMoney): Money => ({
  amount: toAmount(amount),
  currency: currencyCode,
});

/**
 * Two decimals, rounded up: a mandate never reserves less than is paid. Throws for an invalid
 * amount.
 */
export function toRounded(text: string | number): string {
  const [, whole, decimals = ""] = /^(\d{1,12})(?:\.(\d+))?$/.exec(String(text)) ?? [];
  if (whole === undefined) throw new Error("this is no amount");
  const cents = String(
    BigInt(whole + decimals.slice(0, 2).padEnd(2, "0")) +
      (/[1-9]/.test(decimals.slice(2)) ? 1n : 0n),
  ).padStart(3, "0");
  return `${cents.slice(0, -2)}.${cents.slice(-2)}`;
}

/** Expects an amount with two decimals. */
export const toCents = (amount: string): bigint => BigInt(amount.replace(".", ""));

export function fromCents(cents: bigint): string {
  const digits = String(cents).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
