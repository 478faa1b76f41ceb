// The same names as loader-place.ts, for the script that is an asset of the theme: the block writes the
// store's values into the page (extensions/consent-footer/blocks/consent.liquid).
import { DEFAULT_LIFETIME_MONTHS } from "../../domain/tenants/banner/consent-lifetime.ts";
import type { LoaderValues } from "../../domain/tenants/storefront/loader-values.ts";

const script = document.querySelector("[data-crm-config]") as HTMLElement;
const {
  crmConfig,
  crmBridge,
  path,
  locale,
  customer: customerId,
} = script.dataset as Record<"crmConfig" | "crmBridge" | "path" | "locale" | "customer", string>;

const config = JSON.parse(crmConfig) as LoaderValues;
/** `lifetime`: how many months a choice holds. */
const [shop, service, basic, tag, policy, , lifetime = DEFAULT_LIFETIME_MONTHS] = config;
export { basic, lifetime, service, shop, tag };
export const version = policy || undefined;
export const at = path;
export const query = "?locale=" + encodeURIComponent(locale);
export const bridgeScript = crmBridge;
/** The customer who is signed in at the store; empty without one. */
export const customer = customerId && "customer " + customerId;
/** The theme's pages are on the store's own origin. */
export const ofStore = "";
