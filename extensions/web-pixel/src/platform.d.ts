// What this pixel uses of the vendor's package, which only the Shopify CLI installs, into this folder.
declare module "@shopify/web-pixels-extension" {
  import type { PixelApi } from "./pixel.ts";

  export function register(extend: (api: PixelApi) => void): void;
}
