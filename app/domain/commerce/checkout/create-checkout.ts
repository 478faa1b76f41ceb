// Creates a checkout. The storefront is called first, for the cart; then one transaction decides.
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../runtime/database/database.ts";
import { withCaller } from "../../identity/session/caller-access.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { toShipment } from "../cart/cart-delivery.ts";
import type { Cart } from "../cart/cart.ts";
import { createCart } from "../cart/storefront-cart.ts";
import { discardCartOnError } from "../cart/unused-cart.ts";
import { enqueueCommerceEvent, recordMandate } from "../commerce-events.ts";
import { reserve, type Claim, type Spender } from "../mandate-ledger.ts";
import { requirePayments } from "../mandates.ts";
import {
  CHECKOUT_COLUMNS,
  toCheckout,
  type Checkout,
  type CheckoutCaller,
  type CheckoutRow,
} from "./checkout.ts";
import { toLineItems, type CheckoutInput } from "./checkout-input.ts";
import { expireCheckouts } from "./expire-checkouts.ts";
import { noteAmount, requireMandateCovers, spenderOf, statusOf, toClaim } from "./spending.ts";

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
      if (claim) await reserveMandate(current, sql, claim);
      const created = toCheckout(
        await insertCheckout(sql, { id, spender, mandateId, cart, cartId }),
      );
      await enqueueCommerceEvent(ctx, tenant, sql, {
        userId: account.id,
        name: "ucp_checkout_created",
      });
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

async function reserveMandate(tenant: Tenant, sql: TenantSql, claim: Claim): Promise<void> {
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
  enqueueCommerceEvent(ctx, tenant, sql, {
    userId: customerId,
    name: "ucp_mandate_used",
    mandate: { mandate_id: mandateId, amount, currency },
  });

const LIFETIME = "6 hours";

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
