import type { Api } from "@shopify/ui-extensions/customer-account.page.render";

declare const shopify: Api;

/** What the platform gives the extension; both targets have it. */
export const platform = shopify;
