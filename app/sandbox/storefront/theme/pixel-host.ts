/**
 * Runs the app's web pixel in a page as the platform does (shopify.dev "Web Pixels API"): in a worker of a
 * sandboxed frame, without the page, and only for a visitor who allows analytics.
 */
import { readFileSync } from "node:fs";
import type { ShopState } from "../state.ts";
import { readPixelScript } from "../web-pixels.ts";

export type PixelEvent = { id: string; name: string } & Record<string, unknown>;
type Published = {
  /** When the page is shown. */
  shown: PixelEvent[];
  /** When its form is sent. */
  submitted: PixelEvent[];
};

const read = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8");

/** Passes messages between the page and the worker. */
const FRAME = `<!doctype html><title>Pixel</title><script>
const address=(file)=>new URL(file,location.href).href;
const worker=new Worker(URL.createObjectURL(new Blob(["importScripts("+JSON.stringify(address("worker.js"))+")"])));
worker.onmessage=({data})=>parent.postMessage(data,"*");
onmessage=({data})=>worker.postMessage(data.start?{start:{...data.start,pixel:address("pixel.js")}}:data);
</script>`;

/** The markup that starts the pixel; null where the store has none. */
export function pixelHost(shop: ShopState, events: Published): string | null {
  if (!shop.webPixel || !shop.isInstalled || readPixelScript() === null) return null;
  const values = JSON.stringify({
    frame: `/store/${shop.domain}/pixel/frame.html`,
    settings: shop.webPixel.settings,
    shop: { name: shop.name, myshopifyDomain: shop.domain },
    ...events,
  }).replaceAll("<", "\\u003c");
  return `<script>window.sandboxPixel=${values}</script><script src="/store/${shop.domain}/pixel/page.js"></script>`;
}

export function readHostScript(name: string): string | null {
  if (name === "page.js") return read("./pixel-page-double.js");
  if (name === "frame.html") return FRAME;
  if (name === "worker.js") return read("./pixel-worker-double.js");
  return name === "pixel.js" ? readPixelScript() : null;
}
