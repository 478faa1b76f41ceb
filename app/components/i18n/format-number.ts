// Numbers as the reader's language writes them, the same on the server and in the browser (see
// date-time.tsx).
import type { Locale } from "./locale.ts";

const GROUPING: Record<Locale, string> = { en: ",", es: ".", fr: "\u202f" };

export function formatCount(locale: Locale, value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, GROUPING[locale]);
}

const DECIMAL: Record<Locale, string> = { en: ".", es: ",", fr: "," };

/** An amount that comes as a decimal text, and its currency. */
export function formatAmount(locale: Locale, amount: string, currency: string): string {
  const [whole = "0", cents] = amount.split(".");
  return `${whole.replace(/\B(?=(\d{3})+(?!\d))/g, GROUPING[locale])}${cents ? DECIMAL[locale] + cents : ""}\u00a0${currency}`;
}
