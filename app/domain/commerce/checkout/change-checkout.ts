// Reads, changes and cancels a checkout. For a change the storefront is called first, for the new cart; then one
// transaction decides.
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../runtime/database/database.ts";
import { AppError } from "../../../runtime/errors.ts";
import type { Person } from "../../identity/account.ts";
import { withCaller } from "../../identity/session/caller-access.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import type { Cart } from "../cart/cart.ts";
import { toShipment } from "../cart/cart-delivery.ts";
import { discardCart } from "../cart/draft-order.ts";
import { REPLACE_CART } from "../cart/paid-carts.ts";
import { createCart } from "../cart/storefront-cart.ts";
import { discardCartOnError } from "../cart/unused-cart.ts";
import { moveReservation, release } from "../mandate-ledger.ts";
import { requirePayments } from "../mandates.ts";
import {
  CHECKOUT_COLUMNS,
  getCheckoutRow,
  holdsMandate,
  toCheckout,
  type Checkout,
  type CheckoutCaller,
  type CheckoutRow,
} from "./checkout.ts";
import { toLineItems, type CheckoutChange } from "./checkout-input.ts";
import { noteAmount, requireMandateCovers, spenderOf, statusOf, toClaim } from "./spending.ts";

/** `person` null: a caller with the admin key. */
export async function getCheckout(
  ctx: Ctx,
  tenant: Tenant,
  person: Person | null,
  id: string,
): Promise<Checkout> {
  return toCheckout(await getCheckoutRow(dataOf(ctx, tenant).sql, id, person));
}

/** Every replaced cart of a checkout is remembered, because the shopper can still pay it. */
const MAX_CARTS = 500;

const UPDATE = `
  UPDATE checkout_sessions SET ${REPLACE_CART}, status = $3, source = $4, checkout_url = $5, external_id = $6,
    line_items = $7::jsonb, subtotal = $8::numeric, total = $9::numeric, currency = $10, discounts = $11::jsonb,
    delivery = $12::jsonb, escalation = NULL, reserved_amount = CASE WHEN mandate_id IS NULL THEN 0 ELSE $9::numeric END, updated_at = clock_timestamp()
  WHERE shop = $1 AND id = $2 RETURNING ${CHECKOUT_COLUMNS}`;

/** Replaces the items, at current prices. Throws like `createCheckout`, and `checkout_closed`. */
export async function updateCheckout(
  ctx: Ctx,
  tenant: Tenant,
  caller: CheckoutCaller,
  id: string,
  change: CheckoutChange,
): Promise<Checkout> {
  for (;;) {
    const checkout = await updateOnce(ctx, tenant, caller, id, change);
    if (!checkout) continue;
    noteAmount(caller, checkout);
    ctx.log.info("checkout.updated", {
      shop: tenant.shop,
      user_id: caller.person.account.id,
      checkout_id: checkout.id,
      source: checkout.source,
    });
    return checkout;
  }
}

/** Whether codes, address or option stay as the checkout has them. */
const keepsPartOfCart = ({ discount_codes: codes, delivery }: CheckoutChange): boolean =>
  codes === undefined ||
  delivery === undefined ||
  (delivery !== null && delivery.address === undefined);

/** Null, with nothing changed, when another change came first and this one keeps a part of what that one changed. */
async function updateOnce(
  ctx: Ctx,
  tenant: Tenant,
  caller: CheckoutCaller,
  id: string,
  change: CheckoutChange,
): Promise<Checkout | null> {
  const { account } = caller.person;
  const known = await getCheckoutRow(dataOf(ctx, tenant).sql, id, caller.person, { use: "change" });
  requireChangeable(known);
  const lineItems = toLineItems(change);
  const spender = spenderOf(caller);
  await requireMandateCovers(ctx, tenant, spender, known.mandate_id, lineItems);
  const codes = change.discount_codes ?? known.discounts?.codes ?? [];
  const shipment = await toShipment(ctx, tenant, known, change.delivery);
  const cart = await createCart(ctx, tenant, account, known.id, { lineItems, codes, shipment });
  const updated = await discardCartOnError(ctx, tenant, caller.person, { id: known.id, cart }, () =>
    withCaller(ctx, tenant, caller.person, async (sql, current) => {
      const row = await getCheckoutRow(sql, known.id, caller.person, { use: "change", lock: true });
      requireChangeable(row);
      if (row.external_id !== known.external_id && keepsPartOfCart(change)) return null;
      if (holdsMandate(row)) {
        requirePayments(current);
        await moveReservation(sql, toClaim(spender, row.mandate_id, cart), row.reserved_amount);
      }
      const answer = toCheckout(await replaceCart(sql, row, cart));
      await caller.keep?.(sql, answer);
      return { old: row, checkout: answer };
    }),
  );
  if (!updated) {
    await discardCart(ctx, tenant, cart);
    return null;
  }
  const { old, checkout } = updated;
  await discardCart(ctx, tenant, { source: old.source, externalId: old.external_id });
  return checkout;
}

async function replaceCart(sql: TenantSql, row: CheckoutRow, cart: Cart): Promise<CheckoutRow> {
  const [changed] = await sql<CheckoutRow>(UPDATE, [
    row.id,
    statusOf(row.mandate_id),
    cart.source,
    cart.url,
    cart.externalId,
    JSON.stringify(cart.lines),
    cart.subtotal,
    cart.total,
    cart.currency,
    cart.discounts && JSON.stringify(cart.discounts),
    cart.delivery && JSON.stringify(cart.delivery),
  ]);
  return changed as CheckoutRow;
}

function requireChangeable({ status, replaced_carts: carts }: CheckoutRow): void {
  if (status === "complete_in_progress")
    throw new AppError("checkout_closed", {
      message: "The checkout is being completed. Cancel it, or wait for its order.",
    });
  if (status === "completed" || status === "canceled") throw new AppError("checkout_closed");
  if (carts !== null && carts.length >= MAX_CARTS)
    throw new AppError("checkout_closed", {
      message: "The checkout was changed too often. Cancel it and create another.",
    });
}

/**
 * Cancels a checkout and releases its reservation. Safe to repeat; a completed one is
 * `checkout_closed`.
 */
export async function cancelCheckout(
  ctx: Ctx,
  tenant: Tenant,
  caller: CheckoutCaller,
  id: string,
): Promise<Checkout> {
  const { account } = caller.person;
  const { row, checkout } = await dataOf(ctx, tenant).transaction(async (sql) => {
    const found = await getCheckoutRow(sql, id, caller.person, { use: "change", lock: true });
    if (found.status === "completed") throw new AppError("checkout_closed");
    if (holdsMandate(found)) await release(sql, found.mandate_id, found.reserved_amount);
    if (found.stored_status !== "canceled")
      await sql(
        `UPDATE checkout_sessions SET status = 'canceled', reserved_amount = 0,
          updated_at = clock_timestamp() WHERE shop = $1 AND id = $2`,
        [found.id],
      );
    const answer = toCheckout({ ...found, status: "canceled" });
    await caller.keep?.(sql, answer);
    return { row: found, checkout: answer };
  });
  if (row.stored_status !== "canceled")
    ctx.log.info("checkout.canceled", {
      shop: tenant.shop,
      user_id: account.id,
      checkout_id: row.id,
    });
  await discardCart(ctx, tenant, { source: row.source, externalId: row.external_id });
  return checkout;
}
