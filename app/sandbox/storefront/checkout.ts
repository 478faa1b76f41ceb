/**
 * Checkout at the sandbox storefront: carts of the Storefront API, draft orders of the Admin API, and
 * payment.
 */
import { readFileSync } from "node:fs";
import { buildSchema, execute, GraphQLError, parse, validate } from "graphql";
import type { GraphQLSchema } from "graphql";
import { fieldsOf, json } from "../exchange.ts";
import type { ApiResponse } from "../exchange.ts";
import { findVariant, isForSale, isPublic } from "./catalog.ts";
import type { GraphqlContext } from "./graphql/admin-api.ts";
import {
  deliveryOptionsOf,
  readAddress,
  type CartAddress,
  type DeliveryInput,
} from "./delivery.ts";
import { allocate, discountsOf, splitLines } from "./discounts.ts";
import { putOrder } from "./orders.ts";
import type { Order } from "./orders.ts";
import { requireAccess } from "./scopes.ts";
import type { ShopState } from "./state.ts";

type Line = { variantGid: string; quantity: number };
type Attribute = { key: string; value: string };
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

type CartInput = {
  lines?: { merchandiseId: string; quantity?: number }[];
  attributes?: Attribute[];
  buyerIdentity?: { email?: string };
  discountCodes?: string[];
  delivery?: DeliveryInput | null;
};
type DraftInput = {
  lineItems?: { variantId?: string; quantity: number }[];
  email?: string;
  purchasingEntity?: { customerId?: string };
  customAttributes?: Attribute[];
  shippingAddress?: CartAddress;
};

let cartSchema: GraphQLSchema | undefined;

/** POST /api/{version}/graphql.json (Storefront API). Carts need no access token. */
export async function answerCartApi(
  shop: ShopState,
  body: unknown,
  changed: () => void,
): Promise<ApiResponse> {
  cartSchema ??= buildSchema(
    readFileSync(new URL("./graphql/schema/cart-2026-04.graphql", import.meta.url), "utf8"),
  );
  const { query, variables } = fieldsOf(body);
  try {
    const document = parse(String(query));
    const problems = validate(cartSchema, document);
    if (problems.length > 0)
      return json(200, { errors: problems.map(({ message }) => ({ message })) });
    const result = await execute({
      schema: cartSchema,
      document,
      variableValues: fieldsOf(variables),
      rootValue: {
        cartCreate: ({ input }: { input: CartInput }) => createCart(shop, input, changed),
        cartSelectedDeliveryOptionsUpdate: (chosen: DeliveryChoice) =>
          chooseDelivery(shop, chosen, changed),
        cart: ({ id }: { id: string }) => findCart(shop, id),
      },
    });
    return json(200, {
      data: result.data,
      ...(result.errors && { errors: result.errors.map(({ message }) => ({ message })) }),
    });
  } catch (error) {
    return json(200, { errors: [{ message: String(error) }] });
  }
}

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

const newCart = (
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

function createCart(shop: ShopState, input: CartInput, changed: () => void) {
  const asked = (input.lines ?? []).map(({ merchandiseId, quantity = 1 }) => ({
    variantGid: merchandiseId,
    quantity,
  }));
  for (const [index, line] of asked.entries()) {
    const found = findVariant(shop, line.variantGid);
    if (!found || !isPublic(found.product))
      return {
        cart: null,
        userErrors: [
          {
            field: ["input", "lines", String(index), "merchandiseId"],
            message: `The merchandise with id ${line.variantGid} does not exist.`,
            code: "INVALID",
          },
        ],
        warnings: [],
      };
  }
  const where = readAddress(input.delivery);
  if ("error" in where) return { cart: null, userErrors: [where.error], warnings: [] };
  const warnings: object[] = [];
  const lines = asked.flatMap((line) => {
    const stock = findVariant(shop, line.variantGid)?.variant.stock ?? null;
    if (stock === null || stock >= line.quantity) return [line];
    warnings.push({
      code: stock === 0 ? "MERCHANDISE_OUT_OF_STOCK" : "MERCHANDISE_NOT_ENOUGH_STOCK",
      message: "There is not enough of it.",
      target: line.variantGid,
    });
    return stock === 0 ? [] : [{ ...line, quantity: stock }];
  });
  const token = crypto.randomUUID().replaceAll("-", "");
  const cart = newCart(shop, token, {
    email: input.buyerIdentity?.email ?? null,
    customerGid: null,
    lines,
    attributes: input.attributes ?? [],
    discountCodes: input.discountCodes ?? [],
    address: where.address,
  });
  const { warnings: refused } = discountsOf(shop, cart.discountCodes ?? [], cart.email);
  warnings.push(...refused.map((warning) => ({ ...warning, target: cart.gid })));
  (shop.baskets ??= {})[cart.gid] = cart;
  changed();
  return { cart: toCart(shop, cart), userErrors: [], warnings };
}

type DeliveryChoice = {
  cartId: string;
  selectedDeliveryOptions: { deliveryGroupId: string; deliveryOptionHandle: string }[];
};

function chooseDelivery(
  shop: ShopState,
  { cartId, selectedDeliveryOptions: [chosen] }: DeliveryChoice,
  changed: () => void,
) {
  const cart = shop.baskets?.[cartId];
  const refuse = (field: string, code: string) => ({
    cart: null,
    userErrors: [{ field: [field], message: "The delivery option is not valid.", code }],
  });
  if (cart?.kind !== "cart") return refuse("cartId", "INVALID");
  const [group] = deliveryGroupsOf(shop, cart);
  if (!chosen || group?.id !== chosen.deliveryGroupId)
    return refuse("selectedDeliveryOptions", "INVALID_DELIVERY_GROUP");
  const option = group.deliveryOptions.find(({ handle }) => handle === chosen.deliveryOptionHandle);
  if (!option) return refuse("selectedDeliveryOptions", "INVALID_DELIVERY_OPTION");
  cart.delivery = option.title;
  changed();
  return { cart: toCart(shop, cart), userErrors: [] };
}

/** One group for each parcel; none without an address. */
function deliveryGroupsOf(shop: ShopState, { gid, lines, address, delivery }: Cart) {
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

function findCart(shop: ShopState, gid: string) {
  const cart = shop.baskets?.[gid];
  return cart?.kind === "cart" ? toCart(shop, cart) : null;
}

/** The cart with current prices. */
function toCart(shop: ShopState, cart: Cart) {
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

const totalOf = (shop: ShopState, lines: Line[]): string =>
  lines
    .reduce(
      (sum, { variantGid, quantity }) =>
        sum + Number(findVariant(shop, variantGid)?.variant.price ?? 0) * quantity,
      0,
    )
    .toFixed(2);

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

/** Completes the checkout at the address of a cart or a draft order. */
export function payFor(shop: ShopState, url: string): Order {
  const cart = Object.values(shop.baskets ?? {}).find((one) => one.url === url);
  if (!cart) throw new GraphQLError(`Nothing is to be paid at ${url}`);
  const customer = Object.values(shop.customers).find(
    ({ email }) => cart.email !== null && email?.toLowerCase() === cart.email.toLowerCase(),
  );
  const cartToken = cart.kind === "cart" ? (/Cart\/(\w+)/.exec(cart.gid)?.[1] ?? null) : null;
  const order = putOrder(shop, {
    lines: cart.lines,
    attributes: cart.attributes,
    customerGid: cart.customerGid ?? customer?.gid ?? null,
    cartToken,
    ...(cart.delivery && { total: toCart(shop, cart).cost.totalAmount.amount }),
  });
  cart.orderGid = order.gid;
  return order;
}
