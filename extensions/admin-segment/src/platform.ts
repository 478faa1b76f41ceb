import type { Api } from "@shopify/ui-extensions/admin.customer-segment-details.action.render";
import type en from "../locales/en.default.json";

declare const shopify: Api;

export const platform = shopify;

export const text = (key: keyof typeof en, values?: Record<string, string | number>): string =>
  platform.i18n.translate(key, values);
