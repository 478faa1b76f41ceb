// Who this script works for, and where the service is from here: the script's own address tells whether it was reached
// directly or behind the storefront's proxy.
import type { LoaderConfig } from "../stack-loader.ts";

declare const __CONFIG__: LoaderConfig;

export const [shop, service, basic, tag, version] = __CONFIG__;
/** A path of the service is `at + path + query`. */
export const [, at, query] = /^(.+).embed.stack-loader.js(.*)/.exec(
  (document.currentScript as HTMLScriptElement | null)?.src as string,
) ?? [0, service, "?shop=" + shop];

/**
 * Ends the name of everything that is kept in the browser. The service's own origin is shared by all stores: there a name
 * carries its store, and one store's page finds nothing of another's.
 */
export const ofStore = at === location.origin ? ":" + shop : "";

export const word = (isGranted: unknown) => (isGranted === true ? "granted" : "denied");
