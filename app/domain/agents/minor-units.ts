// UCP amounts: integers in the currency's minor unit (ISO 4217).
import { toRounded } from "../commerce/money.ts";

const EXPONENTS: Record<string, number> = {
  ...Object.fromEntries(
    "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
      .split(" ")
      .map((code) => [code, 0]),
  ),
  ...Object.fromEntries("BHD IQD JOD KWD LYD OMR TND".split(" ").map((code) => [code, 3])),
  CLF: 4,
  UYW: 4,
};

/** `40.00` EUR is 4000, `40.00` JPY is 40. Fractions of the minor unit are rounded half up. */
export function toMinorUnits(amount: string, currency: string): number {
  const exponent = EXPONENTS[currency] ?? 2;
  const [, sign = "", whole = "0", decimals = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const kept = Number(whole + decimals.slice(0, exponent).padEnd(exponent, "0"));
  const rounded = kept + (Number(decimals[exponent] ?? 0) >= 5 ? 1 : 0);
  return sign && rounded !== 0 ? -rounded : rounded;
}

/** A price as a checkout counts it: with two decimals, rounded up (docs/decisions/018-mandates.md). */
export const toPriceUnits = (amount: string, currency: string): number =>
  toMinorUnits(toRounded(amount), currency);

/** The reverse: 4000 EUR is `40.00`, 40 JPY is `40.00`, as our own responses write amounts. */
export function fromMinorUnits(amount: number, currency: string): string {
  const exponent = EXPONENTS[currency] ?? 2;
  const digits = String(Math.abs(amount)).padStart(exponent + 1, "0");
  const [whole, decimals] = [
    digits.slice(0, digits.length - exponent),
    digits.slice(digits.length - exponent),
  ];
  return `${amount < 0 ? "-" : ""}${whole}.${decimals.padEnd(2, "0")}`;
}
