import type { Api } from "@shopify/ui-extensions/admin.customer-details.block.render";

declare const shopify: Api;

export const platform = shopify;
