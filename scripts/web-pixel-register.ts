// What the vendor's package `@shopify/web-pixels-extension` does at run time, for the bundle that the sandbox
// runs. The package itself is installed by the Shopify CLI, into the extension.
declare const shopify: { extend(point: "WebPixel::Render", callback: unknown): void };

export const register = (callback: unknown): void => shopify.extend("WebPixel::Render", callback);
