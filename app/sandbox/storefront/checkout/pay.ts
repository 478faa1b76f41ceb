/** Payment of a cart or a draft order, which makes its order. */
import { GraphQLError } from "graphql";
import { putOrder, type Order } from "../orders.ts";
import type { ShopState } from "../state.ts";
import { toCart } from "./carts.ts";

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
