// The store this script runs for, and the base address of the service: the script's own address
// shows whether it was loaded directly or through the storefront's proxy.
import { DEFAULT_LIFETIME_MONTHS } from "../../domain/tenants/banner/consent-lifetime.ts";
import type { LoaderValues } from "../../domain/tenants/storefront/loader-values.ts";

declare const __CONFIG__: LoaderValues;

/** `lifetime`: how many months a choice holds. */
const [shop, service, basic, tag, policy, , lifetime = DEFAULT_LIFETIME_MONTHS] = __CONFIG__;
export { basic, lifetime, service, shop, tag };
export const version = policy || undefined;
const script = document.currentScript as HTMLScriptElement | null;
/** An address of the service is `at + path + query`. */
export const [, at, query] = /^(.+).embed.stack-loader.js(.*)/.exec(script?.src as string) ?? [
  0,
  service,
  "?shop=" + shop,
];

export const bridgeScript = at + "/embed/stack-bridge.js";
/** The customer who is signed in at the store: empty without one, undefined where the page does not say. */
const customerId = script?.dataset.customer;
export const customer = customerId && "customer " + customerId;

/**
 * Suffix of every storage key. The service's own origin is shared by all stores: there a key names
 * its store, so that one store's page never reads another's.
 */
export const ofStore = at === location.origin ? ":" + shop : "";
