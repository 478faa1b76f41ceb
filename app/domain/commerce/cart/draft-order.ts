// The draft order that stands in for a cart where the cart API fails. It is in the merchant's list until
// it is paid or deleted.
import type { Ctx } from "../../../context.server.ts";
import {
  DRAFT_ORDER,
  DRAFT_ORDER_CREATE,
  DRAFT_ORDER_DELETE,
} from "../../../integrations/storefront/commerce-documents.ts";
import { readWhole } from "../../../integrations/storefront/read-whole.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import { isProven, type Account } from "../../identity/account.ts";
import {
  callAdminApi,
  requireNoUserErrors,
  type UserError,
} from "../../tenants/storefront/admin-api.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { toMoney, type StorefrontMoney } from "../money.ts";
import { customerOf } from "../orders.ts";
import { deliveryOfDraft, requireAcceptedAddress } from "./cart-delivery.ts";
import { CHECKOUT_ATTRIBUTE, titleOf, whole, type Cart, type CartWishes } from "./cart.ts";

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
      requiresShipping?: boolean;
      variant: { id: string; availableForSale?: boolean } | null;
      approximateDiscountedUnitPriceSet: Priced;
      discountedTotalSet: Priced;
    }[];
  };
};

export async function openDraftOrder(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  checkoutId: string,
  { lineItems, shipment }: CartWishes,
): Promise<Cart> {
  const customerId = customerOf(account);
  const input = {
    lineItems: lineItems.map(({ variantId, quantity }) => ({ variantId, quantity })),
    customAttributes: [{ key: CHECKOUT_ATTRIBUTE, value: checkoutId }],
    ...(isProven(account) && account.email && { email: account.email }),
    ...(customerId && { purchasingEntity: { customerId } }),
    ...(shipment.address && { shippingAddress: shipment.address }),
  };
  const { draftOrderCreate } = await callAdminApi<{
    draftOrderCreate: { draftOrder: DraftOrder | null; userErrors: UserError[] } | null;
  }>(ctx, tenant.shop, { document: DRAFT_ORDER_CREATE, variables: { input } });
  requireAcceptedAddress(draftOrderCreate?.userErrors);
  requireNoUserErrors("draftOrderCreate", draftOrderCreate?.userErrors);
  const draft = draftOrderCreate?.draftOrder;
  if (!draft)
    throw new OutboundError("storefront", "malformed", {
      message: "the storefront made no draft order",
    });
  try {
    return readWhole("a cart", () => ({
      ...fromDraftOrder(draft),
      delivery: deliveryOfDraft(shipment, shippedIn(draft)),
    }));
  } catch (error) {
    await discardCart(ctx, tenant, { source: "draft_order", externalId: draft.id });
    throw error;
  }
}

const shippedIn = ({ lineItems }: DraftOrder): string[] =>
  lineItems.nodes.flatMap(({ requiresShipping, variant }) =>
    requiresShipping !== false && variant ? [variant.id] : [],
  );

/** Null when the storefront no longer has it. Throws OutboundError. */
export async function readDraftOrder(ctx: Ctx, tenant: Tenant, id: string): Promise<Cart | null> {
  const { draftOrder } = await callAdminApi<{ draftOrder: DraftOrder | null }>(ctx, tenant.shop, {
    document: DRAFT_ORDER,
    variables: { id },
  });
  return draftOrder && readWhole("a cart", () => fromDraftOrder(draftOrder));
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
    await callAdminApi(ctx, tenant.shop, {
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
    isForSale: lineItems.nodes.every(({ variant }) => variant?.availableForSale !== false),
    discounts: null,
    delivery: null,
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
