// Who this script works for, and where the service is from here: the script's own address tells whether it was reached
// directly or behind the storefront's proxy.
import type { LoaderConfig } from "../stack-loader.ts";

declare const __CONFIG__: LoaderConfig;

export const [shop, service, basic, tag, version] = __CONFIG__;
/** A path of the service is `at + path + query`. */
export const [, at, query] = /^(.+)\/embed\/stack-loader\.js(.*)/.exec(
  (document.currentScript as HTMLScriptElement | null)?.src as string,
) ?? [0, service, "?shop=" + shop];

export const TYPES = ["tos", "privacy", "cookie", "marketing"] as const;
export const word = (isGranted: unknown) => (isGranted === true ? "granted" : "denied");
