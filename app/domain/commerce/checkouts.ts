// Creating, changing and canceling checkouts. The storefront is called first; then one transaction
// decides.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import { AppError } from "../../runtime/errors.ts";
import type { Person } from "../identity/account.ts";
import { withCaller } from "../identity/session/caller-access.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { toShipment } from "./cart/cart-delivery.ts";
import type { Cart } from "./cart/cart.ts";
import { discardCart } from "./cart/draft-order.ts";
import { REPLACE_CART } from "./cart/paid-carts.ts";
import { createCart } from "./cart/storefront-cart.ts";
import { discardCartOnError } from "./cart/unused-cart.ts";
import {
  CHECKOUT_COLUMNS,
  getCheckoutRow,
  holdsMandate,
  toCheckout,
  toLineItems,
  type Checkout,
  type CheckoutCaller,
  type CheckoutChange,
  type CheckoutInput,
  type CheckoutRow,
  type LineItemInput,
} from "./checkout.ts";
import { enqueueCommerceEvent, recordMandate } from "./commerce-events.ts";
import { expireCheckouts } from "./expire-checkouts.ts";
import {
  moveReservation,
  release,
  requireOpenMandate,
  reserve,
  type Claim,
  type Spender,
} from "./mandate-ledger.ts";
import { requirePayments } from "./mandates.ts";
import { readVariants, requireScope } from "./variants.ts";

const LIFETIME = "6 hours";

/**
 * `cartId`: the agent's cart that it is made of. Throws `mandate_refused`, `items_unavailable`,
 * `invalid_request`; OutboundError when the storefront does not answer, and a unique violation when the
 * cart has an open checkout.
 */
export async function createCheckout(
  ctx: Ctx,
  tenant: Tenant,
  caller: CheckoutCaller,
  input: CheckoutInput,
  cartId: string | null = null,
): Promise<Checkout> {
  const { account } = caller.person;
  const spender = spenderOf(caller);
  const mandateId = input.mandate_id ?? null;
  const lineItems = toLineItems(input);
  const id = ctx.random.uuid();
  await requireMandateCovers(ctx, tenant, spender, mandateId, lineItems);
  const codes = input.discount_codes ?? [];
  const shipment = await toShipment(ctx, tenant, null, input.delivery);
  const cart = await createCart(ctx, tenant, account, id, { lineItems, codes, shipment });
  const checkout = await discardCartOnError(ctx, tenant, caller.person, { id, cart }, () =>
    withCaller(ctx, tenant, caller.person, async (sql, current) => {
      const claim = mandateId === null ? null : toClaim(spender, mandateId, cart);
      if (claim) await reserveMandate(sql, current, claim);
      const created = toCheckout(
        await insertCheckout(sql, { id, spender, mandateId, cart, cartId }),
      );
      await enqueueCommerceEvent(ctx, tenant, sql, account.id, "ucp_checkout_created");
      if (claim) await enqueueMandateUse(ctx, tenant, sql, claim);
      await caller.keep?.(sql, created);
      // Last: it takes the lock of the store's consent log.
      if (claim)
        await recordMandate(ctx, tenant, sql, {
          action: "mandate_used",
          userId: account.id,
          mandateId: claim.mandateId,
          userAgent: caller.userAgent,
        });
      return created;
    }),
  );
  noteAmount(caller, checkout);
  ctx.log.info("checkout.created", {
    shop: tenant.shop,
    user_id: account.id,
    checkout_id: id,
    source: checkout.source,
    mandate_id: mandateId,
  });
  return checkout;
}

/** What a checkout reserves of its mandate: the cart's total. */
const toClaim = (spender: Spender, mandateId: string, { total, currency }: Cart): Claim => ({
  ...spender,
  mandateId,
  amount: total,
  currency,
});

async function reserveMandate(sql: TenantSql, tenant: Tenant, claim: Claim): Promise<void> {
  requirePayments(tenant);
  // What expired checkouts still hold is free again.
  await expireCheckouts(sql, claim.mandateId);
  await reserve(sql, claim);
}

const enqueueMandateUse = (
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  { customerId, mandateId, amount, currency }: Claim,
): Promise<void> =>
  enqueueCommerceEvent(ctx, tenant, sql, customerId, "ucp_mandate_used", {
    mandate: { mandate_id: mandateId, amount, currency },
  });

/** For the record of an agent's call. */
const noteAmount = (
  { noteMoney }: CheckoutCaller,
  { totals, currency, mandate_id: mandateId }: Checkout,
) => noteMoney?.({ amount: totals.total, currency, mandateId });

/** The account and the agent that spend. */
const spenderOf = ({ person }: CheckoutCaller): Spender => ({
  customerId: person.account.id,
  clientId: person.clientId ?? null,
});

const INSERT = `
  INSERT INTO checkout_sessions (shop, id, customer_id, status, source, checkout_url, external_id,
    line_items, subtotal, total, currency, mandate_id, client_id, reserved_amount, discounts, delivery,
    cart_id, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::numeric, $10::numeric, $11, $12::uuid, $13,
    CASE WHEN $12::uuid IS NULL THEN 0 ELSE $10::numeric END, $14::jsonb, $15::jsonb, $16::uuid,
    clock_timestamp() + interval '${LIFETIME}')
  RETURNING ${CHECKOUT_COLUMNS}`;

async function insertCheckout(
  sql: TenantSql,
  {
    id,
    spender,
    mandateId,
    cart,
    cartId,
  }: {
    id: string;
    spender: Spender;
    mandateId: string | null;
    cart: Cart;
    cartId: string | null;
  },
): Promise<CheckoutRow> {
  const { source, url, externalId, lines, subtotal, total, currency } = cart;
  const [row] = await sql<CheckoutRow>(INSERT, [
    id,
    spender.customerId,
    statusOf(mandateId),
    source,
    url,
    externalId,
    JSON.stringify(lines),
    subtotal,
    total,
    currency,
    mandateId,
    spender.clientId,
    cart.discounts && JSON.stringify(cart.discounts),
    cart.delivery && JSON.stringify(cart.delivery),
    cartId,
  ]);
  return row as CheckoutRow;
}

/** Without a mandate only the shopper can continue. */
const statusOf = (mandateId: string | null) =>
  mandateId === null ? "requires_escalation" : "ready_for_complete";

/** `person` null: a caller with the admin key. */
export async function getCheckout(
  ctx: Ctx,
  tenant: Tenant,
  person: Person | null,
  id: string,
): Promise<Checkout> {
  return toCheckout(await getCheckoutRow(dataOf(ctx, tenant).sql, id, person));
}

/** Each of them can still be paid, and is remembered. */
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
const isOfBefore = ({ discount_codes: codes, delivery }: CheckoutChange): boolean =>
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
      if (row.external_id !== known.external_id && isOfBefore(change)) return null;
      if (holdsMandate(row)) {
        requirePayments(current);
        await moveReservation(sql, toClaim(spender, row.mandate_id, cart), row.reserved_amount);
      }
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
      const answer = toCheckout(changed as CheckoutRow);
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

/**
 * Checks that the mandate is open, for this agent, and that its scope covers the items; the amount
 * is checked once the storefront has returned it.
 */
async function requireMandateCovers(
  ctx: Ctx,
  tenant: Tenant,
  spender: Spender,
  mandateId: string | null,
  lineItems: readonly LineItemInput[],
): Promise<void> {
  if (mandateId === null) return;
  requirePayments(tenant);
  const { scope } = await requireOpenMandate(dataOf(ctx, tenant).sql, mandateId, spender);
  if (scope !== "all")
    requireScope(
      scope,
      await readVariants(
        ctx,
        tenant,
        lineItems,
        scope.startsWith("collection:") ? "with" : "without",
      ),
    );
}
