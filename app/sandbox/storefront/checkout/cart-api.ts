/** The carts of the Storefront API. */
import { readFileSync } from "node:fs";
import { buildSchema, execute, parse, validate, type GraphQLSchema } from "graphql";
import { fieldsOf, json, type ApiResponse } from "../../exchange.ts";
import { findVariant, isPublic } from "../catalog.ts";
import type { ShopState } from "../state.ts";
import { deliveryGroupsOf, newCart, toCart, type Attribute } from "./carts.ts";
import { readAddress, type DeliveryInput } from "./delivery.ts";
import { discountsOf } from "./discounts.ts";

type CartInput = {
  lines?: { merchandiseId: string; quantity?: number }[];
  attributes?: Attribute[];
  buyerIdentity?: { email?: string };
  discountCodes?: string[];
  delivery?: DeliveryInput | null;
};

let cartSchema: GraphQLSchema | undefined;

/** POST /api/{version}/graphql.json (Storefront API). Carts need no access token. */
export async function answerCartApi(
  shop: ShopState,
  body: unknown,
  changed: () => void,
): Promise<ApiResponse> {
  cartSchema ??= buildSchema(
    readFileSync(new URL("../graphql/schema/cart-2026-04.graphql", import.meta.url), "utf8"),
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

function findCart(shop: ShopState, gid: string) {
  const cart = shop.baskets?.[gid];
  return cart?.kind === "cart" ? toCart(shop, cart) : null;
}
