// What the platform gives the extension; both targets have it.
import type { Api } from "@shopify/ui-extensions/customer-account.page.render";

declare const shopify: Api;

export const platform = shopify;

export const t = (key: string, values?: Record<string, string | number>): string =>
  platform.i18n.translate(key, values);

export const dateOf = (at: string): string =>
  platform.i18n.formatDate(new Date(at), { dateStyle: "medium" });

export const timeOf = (at: string): string =>
  platform.i18n.formatDate(new Date(at), { dateStyle: "medium", timeStyle: "short" });

export const moneyOf = (amount: string, currency: string): string =>
  platform.i18n.formatNumber(Number(amount), { style: "currency", currency });

export const toast = (text: string): void => {
  platform.toast.show(text).catch(() => {});
};
