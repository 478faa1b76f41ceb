import { formatAmount, formatCount } from "../../i18n/format-number.ts";
import type { Locale } from "../../i18n/locale.ts";

/** The store's currency and how many decimals it has. */
export type Currency = { code: string; decimals: number };

/** Before the store named its currency, the number alone. */
export const formatMoney = (locale: Locale, amount: number, currency: Currency | null): string =>
  currency
    ? formatAmount(locale, amount.toFixed(currency.decimals), currency.code)
    : formatCount(locale, amount);
