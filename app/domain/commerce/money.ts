// Amounts are decimal texts beside a currency, on the wire and in the database; never floating numbers.
export type Money = { amount: string; currency: string };
export type StorefrontMoney = { amount: string; currencyCode: string };

/** The storefront writes 40.0; here it is 40.00. More than two decimals stay as they are. */
export function toAmount(text: string | number): string {
  const [whole = "0", decimals = ""] = String(text).split(".");
  return `${whole}.${decimals.padEnd(2, "0")}`;
}

export const toMoney = ({ amount, currencyCode }: StorefrontMoney): Money => ({ amount: toAmount(amount), currency: currencyCode });
