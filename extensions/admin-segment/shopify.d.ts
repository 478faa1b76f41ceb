import '@shopify/ui-extensions';

//@ts-ignore
declare module './src/action.tsx' {
  const shopify: import('@shopify/ui-extensions/admin.customer-segment-details.action.render').Api;
  const globalThis: { shopify: typeof shopify };
}

//@ts-ignore
declare module './src/platform.ts' {
  const shopify: import('@shopify/ui-extensions/admin.customer-segment-details.action.render').Api;
  const globalThis: { shopify: typeof shopify };
}

//@ts-ignore
declare module './src/progress.tsx' {
  const shopify: import('@shopify/ui-extensions/admin.customer-segment-details.action.render').Api;
  const globalThis: { shopify: typeof shopify };
}

//@ts-ignore
declare module './src/tag-form.tsx' {
  const shopify: import('@shopify/ui-extensions/admin.customer-segment-details.action.render').Api;
  const globalThis: { shopify: typeof shopify };
}

//@ts-ignore
declare module './src/service.ts' {
  const shopify: import('@shopify/ui-extensions/admin.customer-segment-details.action.render').Api;
  const globalThis: { shopify: typeof shopify };
}
