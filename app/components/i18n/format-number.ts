// Numbers as the reader's language writes them, the same on the server and in the browser (see
// date-time.tsx).
import type { Locale } from "./locale.ts";

const GROUPING: Record<Locale, string> = { en: ",", es: ".", fr: "\u202f" };

export function formatCount(locale: Locale, value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, GROUPING[locale]);
}

const DECIMAL: Record<Locale, string> = { en: ".", es: ",", fr: "," };

/** A number with the decimals that it has. */
export const formatDecimal = (locale: Locale, value: number): string =>
  String(value).replace(".", DECIMAL[locale]);

/** The currencies in use that have no smaller unit. */
const WITHOUT_DECIMALS = /^(BIF|CLP|DJF|GNF|ISK|JPY|KMF|KRW|PYG|RWF|UGX|VND|VUV|XAF|XOF|XPF)$/;

/** An amount that comes as a decimal text, and its currency. */
export function formatAmount(locale: Locale, amount: string, currency: string): string {
  // The service writes every amount with two decimals at least.
  const shown = WITHOUT_DECIMALS.test(currency) ? amount.replace(/\.0+$/, "") : amount;
  const [whole = "0", cents] = shown.split(".");
  return `${whole.replace(/\B(?=(\d{3})+(?!\d))/g, GROUPING[locale])}${cents ? DECIMAL[locale] + cents : ""}\u00a0${currency}`;
}

const PERCENT: Record<Locale, string> = { en: "%", es: "\u00a0%", fr: "\u202f%" };

/** A share of 0 to 1 in tenths of a per cent, rounded down: 99.96 % is not all. */
const tenthsOf = (share: number): number => Math.floor(share * 1_000 + 1e-9);

const formatTenths = (locale: Locale, tenths: number): string =>
  `${Math.floor(tenths / 10)}${tenths % 10 > 0 ? DECIMAL[locale] + (tenths % 10) : ""}`;

/** A share of 0 to 1 in per cent with one digit. */
export const formatRate = (locale: Locale, share: number): string =>
  formatTenths(locale, tenthsOf(share)) + PERCENT[locale];

/** The percentage points between two shares as they are shown, with one digit and without a sign. */
export const pointsBetween = (one: number, other: number): number =>
  Math.abs(tenthsOf(one) - tenthsOf(other)) / 10;
