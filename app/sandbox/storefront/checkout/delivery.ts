/**
 * Delivery at the sandbox storefront: what a cart takes for an address, and the options that the store
 * offers there, as the Storefront API reports them.
 */
import { createHash } from "node:crypto";
import type { ShopState } from "../state.ts";

type DeliveryRate = {
  title: string;
  code: string;
  description?: string;
  /** Decimal, as text. */
  price: string;
  method?: "SHIPPING" | "LOCAL" | "PICK_UP";
};
export type DeliverySettings = {
  /** The countries that the store ships to. */
  countries?: string[];
  rates?: DeliveryRate[];
  /** The storefront chooses the first option itself. */
  preselects?: boolean;
  /** Into how many parcels it divides an order; one by default. */
  parcels?: number;
};

export type CartAddress = {
  address1?: string | null;
  address2?: string | null;
  city?: string | null;
  countryCode?: string | null;
  firstName?: string | null;
  lastName?: string | null;
  phone?: string | null;
  provinceCode?: string | null;
  zip?: string | null;
};
export type DeliveryInput = {
  addresses?: { address: { deliveryAddress?: CartAddress }; selected?: boolean | null }[] | null;
};

const COUNTRIES = ["AT", "BE", "DE", "ES", "FR", "GB", "IT", "NL", "US"];
const RATES: DeliveryRate[] = [
  { title: "Standard", code: "STD", description: "3 to 5 business days", price: "4.90" },
  { title: "Express", code: "EXP", description: "Next business day", price: "12.90" },
];
const ZIPS: Record<string, RegExp> = {
  DE: /^\d{5}$/,
  ES: /^\d{5}$/,
  FR: /^\d{5}$/,
  IT: /^\d{5}$/,
  AT: /^\d{4}$/,
  BE: /^\d{4}$/,
  NL: /^\d{4} ?[A-Z]{2}$/i,
  US: /^\d{5}(-\d{4})?$/,
  GB: /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/i,
};
const PROVINCES: Record<string, RegExp> = { US: /^[A-Z]{2}$/, DE: /^[A-Z]{2}$/ };
const MAX_FIELD = 255;
const MAX_ADDRESSES = 20;

/** The newest settings, over those before. */
export function putDelivery(shop: ShopState, settings: DeliverySettings): void {
  shop.delivery = { ...shop.delivery, ...settings };
}

type CartError = { field: string[]; message: string; code: string };

/** The selected address, or why the cart is not made. */
export function readAddress(
  input: DeliveryInput | null | undefined,
): { address: CartAddress | null } | { error: CartError } {
  const addresses = input?.addresses ?? [];
  const at = ["input", "delivery", "addresses"];
  const refuse = (field: string[], code: string) => ({
    error: { field: [...at, ...field], code, message: "The delivery address is not accepted." },
  });
  if (addresses.length > MAX_ADDRESSES) return refuse([], "TOO_MANY_DELIVERY_ADDRESSES");
  const selected = addresses.filter((one) => one.selected);
  if (selected.length > 1) return refuse([], "ONLY_ONE_DELIVERY_ADDRESS_CAN_BE_SELECTED");
  for (const [index, { address }] of addresses.entries()) {
    const problem = problemOf(address.deliveryAddress ?? {});
    if (problem)
      return refuse([String(index), "address", "deliveryAddress", problem[0]], problem[1]);
  }
  return { address: selected[0]?.address.deliveryAddress ?? null };
}

function problemOf(address: CartAddress): [field: string, code: string] | null {
  for (const [name, value] of Object.entries(address)) {
    const text = value ?? "";
    if (text.length > MAX_FIELD) return [name, "ADDRESS_FIELD_IS_TOO_LONG"];
    if (/<[a-z/!]/i.test(text)) return [name, "ADDRESS_FIELD_CONTAINS_HTML_TAGS"];
    if (/https?:\/\/|www\./i.test(text)) return [name, "ADDRESS_FIELD_CONTAINS_URL"];
    if (/\p{Extended_Pictographic}/u.test(text)) return [name, "ADDRESS_FIELD_CONTAINS_EMOJIS"];
  }
  const { countryCode, zip, provinceCode, phone } = address;
  if (!countryCode) return ["countryCode", "ADDRESS_FIELD_IS_REQUIRED"];
  if (zip && ZIPS[countryCode]?.test(zip) === false) return ["zip", "INVALID_ZIP_CODE_FOR_COUNTRY"];
  if (provinceCode && PROVINCES[countryCode]?.test(provinceCode) === false)
    return ["provinceCode", "PROVINCE_NOT_FOUND"];
  if (phone && !/^\+[\d ()-]{6,30}$/.test(phone))
    return ["phone", "ADDRESS_FIELD_DOES_NOT_MATCH_EXPECTED_PATTERN"];
  return null;
}

/**
 * What the cart may be delivered with. There is none without a country and a postal code, and none where
 * the store does not ship.
 */
export function deliveryOptionsOf(shop: ShopState, cartGid: string, address: CartAddress) {
  const { countries = COUNTRIES, rates = RATES } = shop.delivery ?? {};
  const isServed = address.zip && countries.includes(address.countryCode ?? "");
  return (isServed ? rates : []).map(
    ({ title, code, description, price, method = "SHIPPING" }) => ({
      // As opaque as the storefront's own, and another one in each cart.
      handle: createHash("sha256").update(`${cartGid} ${title} ${code}`).digest("hex").slice(0, 32),
      code,
      title,
      description: description ?? null,
      deliveryMethodType: method,
      estimatedCost: { amount: price, currencyCode: shop.currencyCode },
    }),
  );
}
