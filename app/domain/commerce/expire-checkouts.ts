// Checkouts whose time is over give back what they hold of their mandates.
import type { TenantSql } from "../../runtime/database.ts";

const ROWS_AT_ONCE = 500;

// Locks the checkouts, then their mandates, as everybody does; what somebody else has in hand is left to them. Safe to repeat.
const EXPIRE = `
  WITH due AS (
    SELECT id, mandate_id, reserved_amount FROM checkout_sessions
    WHERE shop = $1 AND status NOT IN ('completed', 'canceled') AND expires_at <= clock_timestamp() AND ($2::uuid IS NULL OR mandate_id = $2::uuid)
    ORDER BY expires_at LIMIT ${ROWS_AT_ONCE} FOR UPDATE SKIP LOCKED
  ), ended AS (
    UPDATE checkout_sessions c SET status = 'canceled', reserved_amount = 0, updated_at = clock_timestamp() FROM due WHERE c.shop = $1 AND c.id = due.id
  ), given_back AS (
    UPDATE mandates m SET reserved_amount = greatest(0, m.reserved_amount - held.amount), reservations = greatest(0, m.reservations - held.checkouts)
    FROM (SELECT mandate_id, sum(reserved_amount) AS amount, count(*)::int AS checkouts FROM due WHERE mandate_id IS NOT NULL GROUP BY mandate_id) held
    WHERE m.shop = $1 AND m.mandate_id = held.mandate_id
  )
  SELECT id FROM due`;

/** At most 500, of one mandate or of all; answers how many. */
export async function expireCheckouts(sql: TenantSql, mandateId: string | null = null): Promise<number> {
  return (await sql(EXPIRE, [mandateId])).length;
}
