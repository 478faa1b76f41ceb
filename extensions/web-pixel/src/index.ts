import { register } from "@shopify/web-pixels-extension";
import { startPixel } from "./pixel.ts";

register(startPixel);
