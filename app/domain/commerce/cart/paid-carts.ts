// Which of a checkout's carts an order paid, and what the orders of a checkout count together. Every cart
// that the checkout ever had can be paid: the storefront keeps it open.
import type { CheckoutRow, CountedOrder } from "../checkout/checkout.ts";
import { fromCents, toCents } from "../money.ts";

/** A cart's token, as its order names it, without its key; a draft order's gid. */
export const cartIdOf = (id: string): string =>
  (id.split("?", 1)[0] as string).split("/Cart/").at(-1) as string;

/** The token of a cart in `external_id`; null for a draft order. An index has the same expression. */
export const CART_TOKEN = "substring(external_id FROM '/Cart/([^?]+)')";

/** For an UPDATE that sets another cart: remembers the one before, with its total. */
export const REPLACE_CART = `replaced_carts = CASE WHEN external_id IS NULL THEN replaced_carts
    ELSE coalesce(replaced_carts, '[]') || jsonb_build_object('total', total::text,
      'id', coalesce(${CART_TOKEN}, external_id)) END`;

type OwnCart = { id: string; total: string; isCurrent: boolean };

export const ownCarts = ({
  external_id: id,
  total,
  replaced_carts: replaced,
}: CheckoutRow): OwnCart[] => [
  ...(id === null ? [] : [{ id: cartIdOf(id), total, isCurrent: true }]),
  ...(replaced ?? []).map((cart) => ({ ...cart, isCurrent: false })),
];

/** One that was completed before its orders were remembered has the one that completed it. */
export const ordersOf = (row: CheckoutRow): CountedOrder[] =>
  row.orders ??
  (row.stored_status === "completed"
    ? [{ id: row.order_id, amount: row.total, is_own: true }]
    : []);

/**
 * The amount that an order counts. For the checkout's own cart that is the agreed total. For a replaced cart, or one
 * that only names the checkout, it is at least the known total; `paid` is what the order says.
 */
export function amountOf(row: CheckoutRow, cart: OwnCart | null, paid: string | null): string {
  const least = cart?.total ?? row.total;
  if (cart?.isCurrent || paid === null) return least;
  return toCents(paid) > toCents(least) ? paid : least;
}

/**
 * What all orders of a checkout cost its mandate. An order of another cart spends what the checkout had reserved.
 * That reservation was for the order of its own cart, which therefore counts only what exceeds it.
 */
function costOf(orders: readonly CountedOrder[]): bigint {
  const sum = (isOwn: boolean) =>
    orders
      .filter((order) => order.is_own === isOwn)
      .reduce((cents, { amount }) => cents + toCents(amount), 0n);
  const [own, other] = [sum(true), sum(false)];
  return own > other ? own : other;
}

/** The amount that one more order adds to the counted ones. */
export const addedBy = (order: CountedOrder, before: readonly CountedOrder[]): string =>
  fromCents(costOf([...before, order]) - costOf(before));
