// The cart at the storefront: a cart of its Storefront API, or a draft order where that fails. Prices,
// currency and the payment address are the storefront's.
import type { Ctx } from "../../../context.server.ts";
import {
  CART,
  CART_CREATE,
  DRAFT_ORDER,
  DRAFT_ORDER_CREATE,
  DRAFT_ORDER_DELETE,
} from "../../../integrations/storefront-commerce-documents.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import { isProven, type Account } from "../../identity/account.ts";
import {
  callStorefront,
  requireNoUserErrors,
  type UserError,
} from "../../tenants/storefront/admin-session.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { toLink, toPlainText } from "../catalog-text.ts";
import {
  notCarried,
  readDiscounts,
  type CartDiscounts,
  type CartWarning,
} from "./cart-discounts.ts";
import type { CheckoutLine, CheckoutRow, Discounts, LineItemInput } from "../checkout.ts";
import { toMoney, toRounded, type Money, type StorefrontMoney } from "../money.ts";
import { customerOf } from "../orders.ts";
import { readVariants, assertAvailable, requireAvailable } from "../variants.ts";

export type Cart = {
  source: "cart" | "draft_order";
  externalId: string;
  url: string;
  lines: CheckoutLine[];
  subtotal: string;
  total: string;
  currency: string;
  discounts: Discounts | null;
  /** The order that it became. */ orderId: string | null;
};

/** The attribute that identifies the resulting order. */
export const CHECKOUT_ATTRIBUTE = "checkout_id";
const MAX_TITLE = 255;

type StorefrontCart = Omit<CartDiscounts, "lines"> & {
  id: string;
  checkoutUrl: string;
  cost: { subtotalAmount: StorefrontMoney; totalAmount: StorefrontMoney };
  lines: {
    nodes: (CartDiscounts["lines"]["nodes"][0] & {
      quantity: number;
      merchandise: {
        id: string;
        title?: string;
        price: StorefrontMoney;
        product?: { title: string };
      };
      cost: { totalAmount: StorefrontMoney };
    })[];
  };
};
type Priced = { shopMoney: StorefrontMoney };
type DraftOrder = {
  id: string;
  invoiceUrl: string | null;
  subtotalPriceSet: Priced;
  totalPriceSet: Priced;
  order?: { id: string } | null;
  lineItems: {
    nodes: {
      title: string;
      quantity: number;
      variant: { id: string } | null;
      approximateDiscountedUnitPriceSet: Priced;
      discountedTotalSet: Priced;
    }[];
  };
};

/**
 * Throws `items_unavailable` and `invalid_request` that name the item; OutboundError when both ways
 * fail.
 */
export async function createCart(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  checkoutId: string,
  wanted: readonly LineItemInput[],
  codes: readonly string[] = [],
): Promise<Cart> {
  const cart = await openCart(ctx, tenant, account, checkoutId, wanted, codes);
  if (cart) {
    const inCart = new Map(cart.lines.map(({ variant_id: id, quantity }) => [id, quantity]));
    assertAvailable(
      wanted
        .filter(({ variantId, quantity }) => (inCart.get(variantId) ?? 0) < quantity)
        .map(({ variantId }) => variantId),
    );
    return cart;
  }
  // A draft order accepts anything, also unpublished products.
  requireAvailable(await readVariants(ctx, tenant, wanted));
  const draft = await openDraftOrder(ctx, tenant, account, checkoutId, wanted);
  return { ...draft, discounts: notCarried(codes) };
}

/** Null when the cart API failed for any reason. */
async function openCart(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  checkoutId: string,
  wanted: readonly LineItemInput[],
  codes: readonly string[],
): Promise<Cart | null> {
  const token = tenant.config.storefront_api_token;
  const input = {
    lines: wanted.map(({ variantId, quantity }) => ({ merchandiseId: variantId, quantity })),
    attributes: [{ key: CHECKOUT_ATTRIBUTE, value: checkoutId }],
    ...(isProven(account) && account.email && { buyerIdentity: { email: account.email } }),
    ...(codes.length > 0 && { discountCodes: codes }),
  };
  try {
    const { cartCreate } = await ctx.storefront.cartApi<{
      cartCreate: {
        cart: StorefrontCart | null;
        userErrors: UserError[];
        warnings?: CartWarning[];
      } | null;
    }>(tenant.shop, token, { document: CART_CREATE, variables: { input } });
    requireNoUserErrors("cartCreate", cartCreate?.userErrors);
    const { cart, warnings } = cartCreate ?? {};
    if (!cart) return null;
    return readWhole(() => ({
      ...fromCart(cart),
      discounts: readDiscounts(codes, cart, warnings),
    }));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    ctx.log.warn("checkout.cart_failed", {
      shop: tenant.shop,
      checkout_id: checkoutId,
      reason: error.message,
    });
    return null;
  }
}

async function openDraftOrder(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  checkoutId: string,
  wanted: readonly LineItemInput[],
): Promise<Cart> {
  const customerId = customerOf(account);
  const input = {
    lineItems: wanted.map(({ variantId, quantity }) => ({ variantId, quantity })),
    customAttributes: [{ key: CHECKOUT_ATTRIBUTE, value: checkoutId }],
    ...(isProven(account) && account.email && { email: account.email }),
    ...(customerId && { purchasingEntity: { customerId } }),
  };
  const { draftOrderCreate } = await callStorefront<{
    draftOrderCreate: { draftOrder: DraftOrder | null; userErrors: UserError[] };
  }>(ctx, tenant.shop, { document: DRAFT_ORDER_CREATE, variables: { input } });
  requireNoUserErrors("draftOrderCreate", draftOrderCreate.userErrors);
  const draft = draftOrderCreate.draftOrder;
  if (!draft)
    throw new OutboundError("storefront", "malformed", {
      message: "the storefront made no draft order",
    });
  try {
    return readWhole(() => fromDraftOrder(draft));
  } catch (error) {
    await discardCart(ctx, tenant, { source: "draft_order", externalId: draft.id });
    throw error;
  }
}

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
  if (source === "draft_order") {
    const { draftOrder } = await callStorefront<{ draftOrder: DraftOrder | null }>(
      ctx,
      tenant.shop,
      { document: DRAFT_ORDER, variables: { id } },
    );
    return draftOrder && readWhole(() => fromDraftOrder(draftOrder));
  }
  const token = tenant.config.storefront_api_token;
  const { cart } = await ctx.storefront.cartApi<{ cart: StorefrontCart | null }>(
    tenant.shop,
    token,
    {
      document: CART,
      variables: { id },
    },
  );
  return cart && readWhole(() => fromCart(cart));
}

/**
 * Deletes an unpaid draft order from the merchant's list. Carts expire by themselves. True when
 * none is left.
 */
export async function discardCart(
  ctx: Ctx,
  tenant: Tenant,
  { source, externalId }: { source: string; externalId: string | null },
): Promise<boolean> {
  if (source !== "draft_order" || externalId === null) return true;
  try {
    await callStorefront(ctx, tenant.shop, {
      document: DRAFT_ORDER_DELETE,
      variables: { input: { id: externalId } },
    });
    return true;
  } catch (error) {
    if (!(error instanceof OutboundError) && !(error instanceof AppError)) throw error;
    ctx.log.warn("checkout.draft_order_left", {
      shop: tenant.shop,
      draft_order: externalId,
      reason: error.message,
    });
    return false;
  }
}

/** A response without a field that is read here is the storefront's error. */
function readWhole(read: () => Cart): Cart {
  try {
    return read();
  } catch (error) {
    throw error instanceof OutboundError
      ? error
      : new OutboundError("storefront", "malformed", {
          message: "the storefront's answer about a cart is incomplete",
        });
  }
}

function fromCart({ id, checkoutUrl, cost, lines }: StorefrontCart): Cart {
  return whole({
    source: "cart",
    externalId: id,
    url: checkoutUrl,
    orderId: null,
    discounts: null,
    cost: [cost.subtotalAmount, cost.totalAmount],
    lines: lines.nodes.map(({ quantity, merchandise, cost: { totalAmount } }) => ({
      variant_id: merchandise.id,
      title: titleOf(merchandise.product?.title ?? "", merchandise.title),
      quantity,
      price: toMoney(merchandise.price),
      total: toMoney(totalAmount),
    })),
  });
}

function fromDraftOrder({
  id,
  invoiceUrl,
  subtotalPriceSet,
  totalPriceSet,
  lineItems,
  order,
}: DraftOrder): Cart {
  return whole({
    source: "draft_order",
    externalId: id,
    url: invoiceUrl ?? "",
    orderId: order?.id ?? null,
    discounts: null,
    cost: [subtotalPriceSet.shopMoney, totalPriceSet.shopMoney],
    lines: lineItems.nodes.map((line) => ({
      variant_id: line.variant?.id ?? "",
      title: titleOf(line.title),
      quantity: line.quantity,
      price: toMoney(line.approximateDiscountedUnitPriceSet.shopMoney),
      total: toMoney(line.discountedTotalSet.shopMoney),
    })),
  });
}

const titleOf = (product: string, variant = "Default Title"): string =>
  toPlainText(variant === "Default Title" ? product : `${product} - ${variant}`, MAX_TITLE);

function whole({
  cost: [subtotal, total],
  ...cart
}: Omit<Cart, "subtotal" | "total" | "currency"> & {
  cost: [StorefrontMoney, StorefrontMoney];
}): Cart {
  const rounded = (money: Money): Money => ({ ...money, amount: toRounded(money.amount) });
  if (typeof cart.externalId !== "string" || toLink(cart.url) === null)
    throw new Error("no id or address");
  return {
    ...cart,
    lines: cart.lines.map((line) => ({
      ...line,
      price: rounded(line.price),
      total: rounded(line.total),
    })),
    subtotal: toRounded(subtotal.amount),
    total: toRounded(total.amount),
    currency: total.currencyCode,
  };
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
