// An agent's cart has one open checkout for each shopper and agent (UCP "Cart-to-Checkout Conversion"): asked for
// again, that one is returned as it is. A unique index decides between requests at the same time.
import type { Ctx } from "../../context.server.ts";
import { retryOnConflict } from "../../runtime/database/retry-on-conflict.ts";
import { isAppError } from "../../runtime/errors.ts";
import {
  CHECKOUT_COLUMNS,
  toCheckout,
  type Checkout,
  type CheckoutCaller,
  type CheckoutRow,
} from "../commerce/checkout/checkout.ts";
import type { CheckoutInput } from "../commerce/checkout/checkout-input.ts";
import { createCheckout } from "../commerce/checkout/create-checkout.ts";
import { isAccessRefusal } from "../identity/session/caller-access.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

/** `was_open`: it was there before, and nothing of the request was applied. */
export type CheckoutOfCart = Checkout & { was_open?: true };

const OF_CART = "shop = $1 AND customer_id = $2 AND client_id IS NOT DISTINCT FROM $3::text";
const OPEN = "cart_id = $4::uuid AND status NOT IN ('completed', 'canceled')";
const FIND = `SELECT ${CHECKOUT_COLUMNS} FROM checkout_sessions WHERE ${OF_CART} AND ${OPEN}`;
/** The scheduled run cancels an expired one later. */
const UNLINK_EXPIRED = `UPDATE checkout_sessions SET cart_id = NULL WHERE ${OF_CART} AND ${OPEN}
  AND expires_at <= clock_timestamp()`;

/** `read`: what a new one is made of. Throws like `createCheckout`, and what `read` throws. */
export function checkoutOfCart(
  ctx: Ctx,
  tenant: Tenant,
  caller: CheckoutCaller,
  cartId: string,
  read: () => Promise<CheckoutInput>,
): Promise<CheckoutOfCart> {
  const find = () => findOpen(ctx, tenant, caller, cartId);
  return retryOnConflict(async () => {
    const known = await find();
    if (known) return known;
    try {
      return await createCheckout(ctx, tenant, caller, await read(), cartId);
    } catch (error) {
      // A request at the same time may have made one, and reserved the mandate for it.
      const other = isAppError(error) && !isAccessRefusal(error) ? await find() : null;
      if (!other) throw error;
      return other;
    }
  });
}

const findOpen = (
  ctx: Ctx,
  tenant: Tenant,
  { person, keep }: CheckoutCaller,
  cartId: string,
): Promise<CheckoutOfCart | null> =>
  dataOf(ctx, tenant).transaction(async (sql) => {
    const values = [person.account.id, person.clientId ?? null, cartId];
    await sql(UNLINK_EXPIRED, values);
    const [row] = await sql<CheckoutRow>(FIND, values);
    if (!row) return null;
    const known = { ...toCheckout(row), was_open: true as const };
    await keep?.(sql, known);
    return known;
  });
