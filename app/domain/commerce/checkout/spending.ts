// What a checkout spends of the shopper's mandate: whose it is, what it covers, and how much the cart reserves.
import type { Ctx } from "../../../context.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import type { Cart } from "../cart/cart.ts";
import { requireOpenMandate, type Claim, type Spender } from "../mandate-ledger.ts";
import { requirePayments } from "../mandates.ts";
import { readVariants, requireScope } from "../variants.ts";
import type { Checkout, CheckoutCaller } from "./checkout.ts";
import type { LineItemInput } from "./checkout-input.ts";

/** Notes the checkout's amount for the record of the agent's call. */
export const noteAmount = (
  { noteMoney }: CheckoutCaller,
  { totals, currency, mandate_id: mandateId }: Checkout,
) => noteMoney?.({ amount: totals.total, currency, mandateId });

/** The account and the agent that spend. */
export const spenderOf = ({ person }: CheckoutCaller): Spender => ({
  customerId: person.account.id,
  clientId: person.clientId ?? null,
});

/** What a checkout reserves of its mandate: the cart's total. */
export const toClaim = (spender: Spender, mandateId: string, { total, currency }: Cart): Claim => ({
  ...spender,
  mandateId,
  amount: total,
  currency,
});

/** A checkout without a mandate needs the shopper to continue. */
export const statusOf = (mandateId: string | null) =>
  mandateId === null ? "requires_escalation" : "ready_for_complete";

/**
 * Checks that the mandate is open, for this agent, and that its scope covers the items; the amount
 * is checked once the storefront has returned it.
 */
export async function requireMandateCovers(
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
