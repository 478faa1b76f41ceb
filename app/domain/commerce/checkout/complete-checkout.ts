// Completing a checkout: we hold no money, so it confirms that the offer is still valid and the
// mandate still covers it. The storefront's order completes it, reported by its webhook or found by
// its draft order.
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../runtime/database/database.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import { withCaller } from "../../identity/session/caller-access.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import type { Cart } from "../cart/cart.ts";
import { isSameOffer, readCart } from "../cart/storefront-cart.ts";
import {
  getCheckoutRow,
  toCheckout,
  type Checkout,
  type CheckoutCaller,
  type CheckoutRow,
} from "./checkout.ts";
import type { Escalation } from "./checkout-messages.ts";
import { requireOpenMandate } from "../mandate-ledger.ts";
import { requirePayments } from "../mandates.ts";
import { completeWithin } from "./complete-from-order.ts";

/**
 * `complete_in_progress` until the order arrives, or `requires_escalation` with a message when the
 * shopper must review it. Safe to repeat. Throws `mandate_refused` with its reason, and
 * `checkout_closed`.
 */
export async function completeCheckout(
  ctx: Ctx,
  tenant: Tenant,
  caller: CheckoutCaller,
  id: string,
): Promise<Checkout> {
  const { account } = caller.person;
  const data = dataOf(ctx, tenant);
  const known = await getCheckoutRow(data.sql, id, caller.person, { use: "change" });
  const isOver = (row: CheckoutRow) => row.status === "completed";
  const clientId = caller.person.clientId ?? null;
  if (!isOver(known)) await requireCompletable(tenant, data.sql, known, clientId);
  const cart = isOver(known) ? null : await readOffer(ctx, tenant, known);
  const checkout = await withCaller(ctx, tenant, caller.person, async (sql, current) => {
    const row = await getCheckoutRow(sql, known.id, caller.person, { use: "change", lock: true });
    // The offer of a cart that was replaced meanwhile confirms nothing.
    const offer = row.external_id === known.external_id ? cart : null;
    const answer = isOver(row)
      ? toCheckout(row)
      : await decide(ctx, current, sql, { row, clientId, cart: offer });
    await caller.keep?.(sql, answer);
    return answer;
  });
  ctx.log.info("checkout.complete_asked", {
    shop: tenant.shop,
    user_id: account.id,
    checkout_id: checkout.id,
    status: checkout.status,
  });
  return checkout;
}

async function requireCompletable(
  tenant: Tenant,
  sql: TenantSql,
  row: CheckoutRow,
  clientId: string | null,
): Promise<void> {
  if (row.status === "canceled") throw new AppError("checkout_closed");
  if (row.mandate_id === null) return;
  requirePayments(tenant);
  await requireOpenMandate(sql, row.mandate_id, { customerId: row.customer_id, clientId });
}

async function decide(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  {
    row,
    clientId,
    cart,
  }: {
    row: CheckoutRow;
    clientId: string | null;
    /** As the storefront has it now; null when that is not known. */
    cart: Cart | null;
  },
): Promise<Checkout> {
  await requireCompletable(tenant, sql, row, clientId);
  if (cart?.orderId)
    return toCheckout(
      await completeWithin(ctx, tenant, sql, row, {
        id: cart.orderId,
        amount: row.total,
        is_own: true,
      }),
    );
  // What was confirmed stays confirmed while nothing speaks against it. The storefront also no longer has
  // a cart that was just paid.
  if (row.status === "complete_in_progress" && cart === null) return toCheckout(row);
  const escalation = escalationOf(cart, row);
  const isConfirmed = row.mandate_id !== null && escalation === null;
  const status = isConfirmed ? "complete_in_progress" : "requires_escalation";
  await sql(
    `UPDATE checkout_sessions SET status = $3, escalation = $4, updated_at = clock_timestamp()
      WHERE shop = $1 AND id = $2`,
    [row.id, status, escalation],
  );
  return toCheckout({ ...row, status, escalation });
}

/** Without a mandate the shopper reviews the offer at payment. `cart` null: it could not be read. */
function escalationOf(cart: Cart | null, row: CheckoutRow): Escalation | null {
  if (row.mandate_id === null) return null;
  if (cart === null) return "offer_unconfirmed";
  if (!cart.isForSale) return "out_of_stock";
  return isSameOffer(cart, row) ? null : "price_changed";
}

/** Null when the storefront does not answer, and for a cart that only the shopper can pay. */
async function readOffer(ctx: Ctx, tenant: Tenant, row: CheckoutRow): Promise<Cart | null> {
  if (row.mandate_id === null && row.source === "cart") return null;
  try {
    return await readCart(ctx, tenant, row);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    ctx.log.warn("checkout.offer_unconfirmed", {
      shop: tenant.shop,
      checkout_id: row.id,
      reason: error.message,
    });
    return null;
  }
}
