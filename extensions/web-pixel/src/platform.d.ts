// What this pixel uses of the vendor's package, which only the Shopify CLI installs, into this folder.
declare module "@shopify/web-pixels-extension" {
  export function register(extend: (api: import("./pixel.ts").PixelApi) => void): void;
}
