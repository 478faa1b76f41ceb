/** Carts and draft orders of the sandbox storefront, and a cart as the Storefront API shows it. */
import { findVariant, isForSale } from "../catalog.ts";
import type { ShopState } from "../state.ts";
import { deliveryOptionsOf, type CartAddress } from "./delivery.ts";
import { allocate, discountsOf, splitLines } from "./discounts.ts";

export type Line = { variantGid: string; quantity: number };
export type Attribute = { key: string; value: string };
export type Cart = {
  gid: string;
  kind: "cart" | "draft";
  url: string;
  email: string | null;
  customerGid: string | null;
  lines: Line[];
  attributes: Attribute[];
  /** Absent in older state files. */
  discountCodes?: string[];
  /** Where it is sent. */
  address?: CartAddress | null;
  /** The title of the chosen delivery option. */
  delivery?: string | null;
  /** The order that the checkout became. */
  orderGid?: string;
};

export const newCart = (
  shop: ShopState,
  token: string,
  fields: Pick<Cart, "lines" | "email" | "customerGid" | "discountCodes" | "address"> & {
    attributes?: Attribute[];
  },
): Cart => ({
  gid: `gid://shopify/Cart/${token}?key=${token.slice(0, 8)}`,
  kind: "cart",
  url: `https://${shop.domain}/cart/c/${token}?key=${token.slice(0, 8)}`,
  attributes: [],
  ...fields,
});

/** The checkout of the online store: a cart with its buyer. Returns the address where it is paid. */
export function openCheckout(
  shop: ShopState,
  {
    lines,
    email,
    customerGid,
  }: { lines: Line[]; email: string | null; customerGid: string | null },
): string {
  const token = crypto.randomUUID().replaceAll("-", "");
  const cart = newCart(shop, token, { lines, email, customerGid });
  (shop.baskets ??= {})[cart.gid] = cart;
  return cart.url;
}

/** One group for each parcel; none without an address. */
export function deliveryGroupsOf(shop: ShopState, { gid, lines, address, delivery }: Cart) {
  const isShipped = lines.some(
    ({ variantGid }) => findVariant(shop, variantGid)?.variant.requiresShipping !== false,
  );
  if (!address || !isShipped) return [];
  const deliveryOptions = deliveryOptionsOf(shop, gid, address);
  const first = shop.delivery?.preselects ? deliveryOptions[0] : undefined;
  return Array.from({ length: shop.delivery?.parcels ?? 1 }, (_, index) => ({
    id: gid.replace("/Cart/", `/CartDeliveryGroup/${index || ""}`),
    deliveryOptions,
    selectedDeliveryOption:
      deliveryOptions.find(({ title }) => title === delivery) ?? first ?? null,
  }));
}

/** The cart with current prices. */
export function toCart(shop: ShopState, cart: Cart) {
  const { gid, url, lines, email, discountCodes = [], address } = cart;
  const money = (amount: string) => ({ amount, currencyCode: shop.currencyCode });
  const inCents = (cents: number) => money((cents / 100).toFixed(2));
  const { codes, counting } = discountsOf(shop, discountCodes, email);
  let subtotal = 0;
  const nodes = splitLines(counting, lines).map((line, index) => {
    const { variantGid, quantity } = line;
    const { product, variant } = findVariant(shop, variantGid) as NonNullable<
      ReturnType<typeof findVariant>
    >;
    const merchandise = {
      __typename: "ProductVariant",
      id: variantGid,
      title: variant.title,
      requiresShipping: variant.requiresShipping !== false,
      availableForSale: isForSale(variant),
      price: money(variant.price),
      product: { title: product.title },
    };
    const price = Math.round(Number(variant.price) * 100) * quantity;
    const { left, allocations } = allocate(line.counting, "items", price, inCents);
    subtotal += left;
    return {
      __typename: "CartLine",
      id: `${gid.split("?")[0]?.replace("/Cart/", "/CartLine/")}-${index}`,
      quantity,
      merchandise,
      cost: { totalAmount: inCents(left) },
      discountAllocations: allocations,
    };
  });
  const { left, allocations } = allocate(counting, "order", subtotal, inCents);
  const groups = deliveryGroupsOf(shop, cart);
  const shipping = groups.reduce(
    (sum, { selectedDeliveryOption: option }) =>
      sum + Math.round(Number(option?.estimatedCost.amount ?? 0) * 100),
    0,
  );
  const delivery = allocate(counting, "delivery", shipping, inCents);
  const total = left + delivery.left;
  return {
    id: gid,
    checkoutUrl: url,
    // The subtotal is before the discounts of the whole cart.
    cost: { subtotalAmount: inCents(subtotal), totalAmount: inCents(total) },
    lines: { nodes },
    discountCodes: codes,
    discountAllocations: allocations,
    deliveryGroups: { nodes: groups },
    delivery: {
      addresses: address ? [{ address: { __typename: "CartDeliveryAddress", ...address } }] : [],
    },
  };
}
