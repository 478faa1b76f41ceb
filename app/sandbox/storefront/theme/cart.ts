/** The shopper's cart: a cookie of this browser, variants by number with how many of each. */
import type { Call } from "../../exchange.ts";
import { findVariant, isPublic, type Product, type Variant } from "../catalog.ts";
import type { ShopState } from "../state.ts";
import { readCookie, writeCookie } from "./cookie.ts";

const CART_COOKIE = "sandbox_cart";
const VARIANT_GID = "gid://shopify/ProductVariant/";
const MAX_LINES = 20;
const MAX_QUANTITY = 99;

export type CartLine = { product: Product; variant: Variant; quantity: number };

export const variantNumber = ({ gid }: Variant): string => gid.slice(VARIANT_GID.length);

/** Lines of this store only, of products that are still for sale. */
export function readCart(shop: ShopState, call: Call): CartLine[] {
  const cookie = readCookie(call, CART_COOKIE);
  if (cookie?.domain !== shop.domain) return [];
  return cookie.value
    .split(".")
    .slice(0, MAX_LINES)
    .flatMap((entry) => {
      const [, number = "", quantity = ""] = /^(\d{1,20})x(\d{1,2})$/.exec(entry) ?? [];
      const found = findVariant(shop, VARIANT_GID + number);
      return found && isPublic(found.product) && Number(quantity) > 0
        ? [{ ...found, quantity: Number(quantity) }]
        : [];
    });
}

export const cartCookie = (shop: ShopState, lines: readonly CartLine[]): string =>
  writeCookie(
    CART_COOKIE,
    shop.domain,
    lines.map(({ variant, quantity }) => `${variantNumber(variant)}x${quantity}`).join("."),
  );

/** The cart with this many of a variant; `isMore` adds to its quantity. Zero removes the line. */
export function withVariant(
  shop: ShopState,
  lines: readonly CartLine[],
  wanted: { number: string; quantity: number; isMore: boolean },
): CartLine[] {
  const found = findVariant(shop, VARIANT_GID + wanted.number);
  if (!found || !isPublic(found.product) || !Number.isInteger(wanted.quantity)) return [...lines];
  const known = lines.find(({ variant }) => variant.gid === found.variant.gid);
  const asked = wanted.quantity + (wanted.isMore ? (known?.quantity ?? 0) : 0);
  const quantity = Math.min(asked, MAX_QUANTITY, found.variant.stock ?? MAX_QUANTITY);
  const line = { ...found, quantity };
  const changed = known
    ? lines.map((one) => (one === known ? line : one))
    : [...lines, line].slice(0, MAX_LINES);
  return changed.filter((one) => one.quantity > 0);
}

export const totalOf = (lines: readonly CartLine[]): number =>
  lines.reduce((sum, { variant, quantity }) => sum + Number(variant.price) * quantity, 0);
