// The cart at the storefront: a cart of its Storefront API, or a draft order where that fails. Prices,
// currency and the payment address are the storefront's.
import type { Ctx } from "../../../context.server.ts";
import {
  CART,
  CART_CREATE,
  CART_SELECTED_DELIVERY_OPTIONS_UPDATE,
} from "../../../integrations/storefront/commerce-documents.ts";
import { readWhole } from "../../../integrations/storefront/read-whole.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import { isProven, type Account } from "../../identity/account.ts";
import { requireNoUserErrors, type UserError } from "../../tenants/storefront/admin-api.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import type { CheckoutLine, CheckoutRow } from "../checkout/checkout.ts";
import type { LineItemInput } from "../checkout/checkout-input.ts";
import { toMoney, toRounded, type StorefrontMoney } from "../money.ts";
import { readVariants, assertAvailable, requireAvailable } from "../variants.ts";
import {
  findChoice,
  readDelivery,
  requireAcceptedAddress,
  toCartInput,
  totalWithDelivery,
  type CartGroups,
  type Shipment,
} from "./cart-delivery.ts";
import {
  findDeliveryCode,
  notCarried,
  readDiscounts,
  type CartDiscounts,
  type CartWarning,
} from "./cart-discounts.ts";
import { CHECKOUT_ATTRIBUTE, titleOf, whole, type Cart, type CartWishes } from "./cart.ts";
import { openDraftOrder, readDraftOrder } from "./draft-order.ts";

type StorefrontCart = Omit<CartDiscounts, "lines"> &
  CartGroups & {
    id: string;
    checkoutUrl: string;
    cost: { subtotalAmount: StorefrontMoney; totalAmount: StorefrontMoney };
    lines: {
      nodes: (CartDiscounts["lines"]["nodes"][0] & {
        quantity: number;
        merchandise: {
          id: string;
          title?: string;
          requiresShipping?: boolean;
          availableForSale?: boolean;
          price: StorefrontMoney;
          product?: { title: string };
        };
        cost: { totalAmount: StorefrontMoney };
      })[];
    };
  };
/**
 * Throws `items_unavailable` and `invalid_request` that name the item or the field of the address;
 * OutboundError when both ways fail.
 */
export async function createCart(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  checkoutId: string,
  wishes: CartWishes,
): Promise<Cart> {
  const { lineItems, codes } = wishes;
  const cart = await openCart(ctx, tenant, account, checkoutId, wishes);
  if (cart) {
    // A discount of some units splits an item into several lines.
    const inCart = (variantId: string) =>
      cart.lines
        .filter(({ variant_id: id }) => id === variantId)
        .reduce((sum, { quantity }) => sum + quantity, 0);
    assertAvailable(
      lineItems
        .filter(({ variantId, quantity }) => inCart(variantId) < quantity)
        .map(({ variantId }) => variantId),
    );
    return cart;
  }
  // A draft order accepts anything, also unpublished products.
  requireAvailable(await readVariants(ctx, tenant, lineItems));
  const draft = await openDraftOrder(ctx, tenant, account, checkoutId, wishes);
  return { ...draft, discounts: notCarried(codes) };
}

/** Codes of `CartErrorCode`: quantity rules, subscriptions, and the merchant's own validation of carts. */
const ITEM_RULES: ReadonlySet<string> = new Set([
  "INVALID_INCREMENT",
  "MAXIMUM_EXCEEDED",
  "MINIMUM_NOT_MET",
  "VALIDATION_CUSTOM",
  "VARIANT_REQUIRES_SELLING_PLAN",
]);

/** A draft order follows none of the store's rules about items: it must not sell what a cart refuses. */
function requireAcceptedItems(
  errors: readonly UserError[] | undefined,
  lineItems: readonly LineItemInput[],
): void {
  const refused = (errors ?? []).filter(({ code }) => ITEM_RULES.has(code ?? ""));
  if (refused.length === 0) return;
  const named = refused.flatMap(({ field }) => {
    const item = lineItems[Number(field?.find((part) => /^\d+$/.test(part)))];
    return item ? [item.variantId] : [];
  });
  const ids = named.length > 0 ? named : lineItems.map(({ variantId }) => variantId);
  throw new AppError("items_unavailable", {
    message: `The store's rules do not allow this quantity or kind of purchase: ${ids.join(", ")}.`,
    details: { unavailable: ids },
  });
}

/** Null when the cart API failed for any other reason. */
async function openCart(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  checkoutId: string,
  { lineItems, codes, shipment }: CartWishes,
): Promise<Cart | null> {
  const token = tenant.config.storefront_api_token;
  const input = {
    lines: lineItems.map(({ variantId, quantity }) => ({ merchandiseId: variantId, quantity })),
    attributes: [{ key: CHECKOUT_ATTRIBUTE, value: checkoutId }],
    ...(isProven(account) && account.email && { buyerIdentity: { email: account.email } }),
    ...(codes.length > 0 && { discountCodes: codes }),
    ...toCartInput(shipment),
  };
  try {
    const { cartCreate } = await ctx.storefront.storefrontApi<{
      cartCreate: {
        cart: StorefrontCart | null;
        userErrors: UserError[];
        warnings?: CartWarning[];
      } | null;
    }>(tenant.shop, token, { document: CART_CREATE, variables: { input } });
    requireAcceptedAddress(cartCreate?.userErrors);
    requireAcceptedItems(cartCreate?.userErrors, lineItems);
    requireNoUserErrors("cartCreate", cartCreate?.userErrors);
    const { cart: made, warnings } = cartCreate ?? {};
    if (!made) return null;
    const cart = await chooseDelivery(ctx, tenant, checkoutId, shipment, made);
    return readWhole("a cart", () => ({
      ...fromCart(cart),
      discounts: readDiscounts(codes, cart, costOf(cart).deliveryOff, warnings),
      delivery: readDelivery(shipment, shippedIn(cart), cart),
    }));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    ctx.log.warn("checkout.cart_failed", {
      shop: tenant.shop,
      checkout_id: checkoutId,
      // The storefront's message may repeat the address.
      reason: shipment.address === null ? error.message : error.kind,
    });
    return null;
  }
}

/**
 * The cart with the wanted option, or as it was when the storefront does not take it: what it answers
 * is what the checkout says.
 */
async function chooseDelivery(
  ctx: Ctx,
  tenant: Tenant,
  checkoutId: string,
  shipment: Shipment,
  cart: StorefrontCart,
): Promise<StorefrontCart> {
  const choice = readWhole("a cart", () => findChoice(shipment, cart));
  if (choice === null) return cart;
  try {
    const { cartSelectedDeliveryOptionsUpdate: chosen } = await ctx.storefront.storefrontApi<{
      cartSelectedDeliveryOptionsUpdate: {
        cart: StorefrontCart | null;
        userErrors: UserError[];
      } | null;
    }>(tenant.shop, tenant.config.storefront_api_token, {
      document: CART_SELECTED_DELIVERY_OPTIONS_UPDATE,
      variables: { cartId: cart.id, selectedDeliveryOptions: [choice] },
    });
    requireNoUserErrors("cartSelectedDeliveryOptionsUpdate", chosen?.userErrors);
    return chosen?.cart ?? cart;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    ctx.log.warn("checkout.delivery_not_chosen", {
      shop: tenant.shop,
      checkout_id: checkoutId,
      kind: error.kind,
    });
    return cart;
  }
}

const shippedIn = ({ lines }: StorefrontCart): string[] => {
  const ids = lines.nodes
    .filter(({ merchandise }) => merchandise.requiresShipping !== false)
    .map(({ merchandise }) => merchandise.id);
  return [...new Set(ids)];
};

/**
 * The same cart in its current state; null when the storefront no longer has it. Throws
 * OutboundError.
 */
export async function readCart(
  ctx: Ctx,
  tenant: Tenant,
  { source, external_id: id }: Pick<CheckoutRow, "source" | "external_id">,
): Promise<Cart | null> {
  if (id === null) return null;
  if (source === "draft_order") return readDraftOrder(ctx, tenant, id);
  const token = tenant.config.storefront_api_token;
  const { cart } = await ctx.storefront.storefrontApi<{ cart: StorefrontCart | null }>(
    tenant.shop,
    token,
    {
      document: CART,
      variables: { id },
    },
  );
  return cart && readWhole("a cart", () => fromCart(cart));
}

function fromCart(cart: StorefrontCart): Cart {
  const { id, checkoutUrl, cost, lines } = cart;
  const read = whole({
    source: "cart",
    externalId: id,
    url: checkoutUrl,
    orderId: null,
    isForSale: lines.nodes.every(({ merchandise }) => merchandise.availableForSale !== false),
    discounts: null,
    delivery: null,
    cost: [cost.subtotalAmount, cost.totalAmount],
    lines: lines.nodes.map(({ quantity, merchandise, cost: { totalAmount } }) => ({
      variant_id: merchandise.id,
      title: titleOf(merchandise.product?.title ?? "", merchandise.title),
      quantity,
      price: toMoney(merchandise.price),
      total: toMoney(totalAmount),
    })),
  });
  return { ...read, total: costOf(cart).total };
}

/** See `totalWithDelivery`. */
function costOf(cart: StorefrontCart): { total: string; deliveryOff: string | null } {
  const { cost, discountAllocations = [] } = cart;
  return totalWithDelivery(
    {
      subtotal: toRounded(cost.subtotalAmount.amount),
      total: toRounded(cost.totalAmount.amount),
      off: discountAllocations.map(({ discountedAmount }) => discountedAmount),
      hasDeliveryCode: findDeliveryCode(cart) !== null,
    },
    cart,
  );
}

/** Whether two carts have the same items at the same prices. */
export function isSameOffer(
  cart: Cart,
  row: Pick<CheckoutRow, "line_items" | "total" | "currency">,
): boolean {
  const terms = (lines: readonly CheckoutLine[]) =>
    lines
      .map(({ variant_id: id, quantity, total }) => `${id} ${quantity} ${total.amount}`)
      .sort()
      .join();
  return (
    cart.currency === row.currency &&
    cart.total === row.total &&
    terms(cart.lines) === terms(row.line_items)
  );
}
