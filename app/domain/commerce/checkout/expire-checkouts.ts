// Expired checkouts release their mandates' reservations, and their draft orders are deleted from the
// merchant's list.
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../runtime/database/database.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import { isConnected } from "../../tenants/store-access.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { discardCart } from "../cart/draft-order.ts";
import { readCart } from "../cart/storefront-cart.ts";
import { CHECKOUT_COLUMNS, getCheckoutRow, type CheckoutRow } from "./checkout.ts";
import { completeWithin } from "./complete-from-order.ts";
import { releaseOf } from "../mandate-ledger.ts";

const ROWS_AT_ONCE = 500;
const DRAFT_ORDERS_PER_RUN = 50;

// Locks the checkouts, then their mandates, in the usual order; skips locked ones. Safe to repeat.
const EXPIRE = `
  WITH due AS (
    SELECT id, mandate_id, reserved_amount FROM checkout_sessions
    WHERE shop = $1 AND status NOT IN ('completed', 'canceled') AND expires_at <= clock_timestamp()
      AND ($2::uuid IS NULL OR mandate_id = $2::uuid)
    ORDER BY expires_at LIMIT ${ROWS_AT_ONCE} FOR UPDATE SKIP LOCKED
  ), ended AS (
    UPDATE checkout_sessions c SET status = 'canceled', reserved_amount = 0,
      updated_at = clock_timestamp() FROM due WHERE c.shop = $1 AND c.id = due.id
  ), given_back AS (
    UPDATE mandates m SET ${releaseOf("held.amount", "held.checkouts")}
    FROM (SELECT mandate_id, sum(reserved_amount) AS amount, count(*)::int AS checkouts FROM due
      WHERE mandate_id IS NOT NULL GROUP BY mandate_id) held
    WHERE m.shop = $1 AND m.mandate_id = held.mandate_id
  )
  SELECT id FROM due`;

/** At most 500, of one mandate or of all; returns how many. */
export async function expireCheckouts(
  sql: TenantSql,
  mandateId: string | null = null,
): Promise<number> {
  return (await sql(EXPIRE, [mandateId])).length;
}

const DRAFT_ORDERS = `SELECT ${CHECKOUT_COLUMNS} FROM checkout_sessions WHERE shop = $1
  AND status = 'canceled' AND source = 'draft_order' AND external_id IS NOT NULL LIMIT ${DRAFT_ORDERS_PER_RUN}`;

/** The scheduled run's work on a store's checkouts. Safe to repeat. */
export async function endCheckouts(
  ctx: Ctx,
  tenant: Tenant,
  signal: AbortSignal,
): Promise<{ expired: number; completed: number; draft_orders_removed: number }> {
  const { sql } = dataOf(ctx, tenant);
  const counts = { expired: 0, completed: 0, draft_orders_removed: 0 };
  for (let ended = ROWS_AT_ONCE; ended === ROWS_AT_ONCE && !signal.aborted; counts.expired += ended)
    ended = await expireCheckouts(sql);
  if (!isConnected(tenant)) return counts;
  for (const row of await sql<CheckoutRow>(DRAFT_ORDERS)) {
    if (signal.aborted) break;
    const outcome = await settleDraftOrder(ctx, tenant, row);
    if (outcome) counts[outcome] += 1;
  }
  return counts;
}

/** Null: the storefront does not answer, the next run tries again. */
async function settleDraftOrder(
  ctx: Ctx,
  tenant: Tenant,
  row: CheckoutRow,
): Promise<"completed" | "draft_orders_removed" | null> {
  const data = dataOf(ctx, tenant);
  try {
    // A webhook may have been lost: a paid draft order is no longer a draft.
    const orderId = (await readCart(ctx, tenant, row))?.orderId;
    if (orderId) {
      await data.transaction(async (sql) => {
        const current = await getCheckoutRow(sql, row.id, null, { lock: true });
        if (current.stored_status !== "completed")
          await completeWithin(ctx, tenant, sql, current, {
            id: orderId,
            amount: current.total,
            is_own: true,
          });
      });
      return "completed";
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return null;
  }
  if (!(await discardCart(ctx, tenant, { source: row.source, externalId: row.external_id })))
    return null;
  await data.prisma.checkoutSession.updateMany({
    where: { id: row.id, status: "canceled" },
    data: { external_id: null },
  });
  return "draft_orders_removed";
}
