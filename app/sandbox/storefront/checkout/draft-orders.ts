/** The draft orders of the Admin API. */
import { findVariant, isForSale } from "../catalog.ts";
import type { GraphqlContext } from "../graphql/admin-api.ts";
import { requireAccess } from "../scopes.ts";
import type { ShopState } from "../state.ts";
import type { Attribute, Cart, Line } from "./carts.ts";
import type { CartAddress } from "./delivery.ts";

type DraftInput = {
  lineItems?: { variantId?: string; quantity: number }[];
  email?: string;
  purchasingEntity?: { customerId?: string };
  customAttributes?: Attribute[];
  shippingAddress?: CartAddress;
};

export const draftOrderResolvers: Record<string, unknown> = {
  draftOrderCreate: (
    { input }: { input: DraftInput },
    { shop, scope, changed }: GraphqlContext,
  ) => {
    requireAccess(scope, "draftOrderCreate", "write_draft_orders");
    const lines = (input.lineItems ?? []).map(({ variantId, quantity }) => ({
      variantGid: variantId ?? "",
      quantity,
    }));
    if (lines.length === 0)
      return { draftOrder: null, userErrors: [{ field: null, message: "Add at least 1 product" }] };
    const unknown = lines.findIndex(({ variantGid }) => !findVariant(shop, variantGid));
    if (unknown >= 0)
      return {
        draftOrder: null,
        userErrors: [
          {
            field: ["lineItems", String(unknown)],
            message: `Product with ID ${lines[unknown]?.variantGid} is no longer available.`,
          },
        ],
      };
    const baskets = (shop.baskets ??= {});
    let number = 1_300_000_000_001 + Object.keys(baskets).length;
    while (baskets[`gid://shopify/DraftOrder/${number}`]) number += 1;
    const id = String(number);
    const draft: Cart = {
      gid: `gid://shopify/DraftOrder/${id}`,
      kind: "draft",
      url: `https://${shop.domain}/${shop.id}/invoices/${crypto.randomUUID()}`,
      email: input.email ?? null,
      customerGid: input.purchasingEntity?.customerId ?? null,
      lines,
      attributes: input.customAttributes ?? [],
      address: input.shippingAddress ?? null,
    };
    baskets[draft.gid] = draft;
    changed();
    return { draftOrder: toDraftOrder(shop, draft), userErrors: [] };
  },

  draftOrder: ({ id }: { id: string }, { shop, scope }: GraphqlContext) => {
    requireAccess(scope, "draftOrder", "write_draft_orders");
    const draft = shop.baskets?.[id];
    return draft?.kind === "draft" ? toDraftOrder(shop, draft) : null;
  },

  draftOrderDelete: (
    { input: { id } }: { input: { id: string } },
    { shop, scope, changed }: GraphqlContext,
  ) => {
    requireAccess(scope, "draftOrderDelete", "write_draft_orders");
    if (!shop.baskets?.[id])
      return { deletedId: null, userErrors: [{ field: ["id"], message: "Draft order not found" }] };
    delete shop.baskets[id];
    changed();
    return { deletedId: id, userErrors: [] };
  },
};

function toDraftOrder(shop: ShopState, { gid, url, lines, orderGid }: Cart) {
  const money = (amount: string) => ({ shopMoney: { amount, currencyCode: shop.currencyCode } });
  const total = money(totalOf(shop, lines));
  const nodes = lines.map(({ variantGid, quantity }, index) => {
    const { product, variant } = findVariant(shop, variantGid) as NonNullable<
      ReturnType<typeof findVariant>
    >;
    return {
      id: `${gid.replace("/DraftOrder/", "/DraftOrderLineItem/")}${index}`,
      title: product.title,
      quantity,
      requiresShipping: variant.requiresShipping !== false,
      variant: { id: variantGid, availableForSale: isForSale(variant) },
      approximateDiscountedUnitPriceSet: money(variant.price),
      discountedTotalSet: money((Number(variant.price) * quantity).toFixed(2)),
    };
  });
  return {
    id: gid,
    invoiceUrl: url,
    subtotalPriceSet: total,
    totalPriceSet: total,
    lineItems: { nodes },
    order: orderGid ? { id: orderGid } : null,
  };
}

const totalOf = (shop: ShopState, lines: Line[]): string =>
  lines
    .reduce(
      (sum, { variantGid, quantity }) =>
        sum + Number(findVariant(shop, variantGid)?.variant.price ?? 0) * quantity,
      0,
    )
    .toFixed(2);
