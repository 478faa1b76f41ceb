// A mandate's ledger: a checkout reserves, its end releases, its payment is counted after that. Each is one
// statement, which locks only the mandate's row and decides under that lock: of concurrent
// checkouts exactly as many pass as the amount covers. The checkout's own row, locked before, keeps
// a repetition from counting twice.
import { z } from "zod";
import type { TenantSql } from "../../runtime/database/database.ts";
import type { AppError } from "../../runtime/errors.ts";
import { MANDATE_COLUMNS, refusal, unknownMandate, type MandateRow } from "./mandate.ts";

/**
 * `clientId` null: the shopper, or a caller with the shopper's session, which can only spend
 * mandates for any agent.
 */
export type Spender = { customerId: number; clientId: string | null };
export type Claim = Spender & { mandateId: string; amount: string; currency: string };

const IS_OPEN = "status = 'active' AND expires_at > clock_timestamp()";
const isFor = (clientId: string) => `(agent_clients IS NULL OR ${clientId} = ANY(agent_clients))`;

const RESERVE = `
  UPDATE mandates SET reserved_amount = reserved_amount + $4::numeric, reservations = reservations + 1
  WHERE shop = $1 AND mandate_id = $2 AND customer_id = $3 AND ${IS_OPEN} AND ${isFor("$6::text")} AND currency = $5
    AND spent_amount + owed_amount + reserved_amount + $4::numeric <= max_amount AND (usage = 'multi' OR reservations = 0)
  RETURNING mandate_id`;

/** Throws `mandate_refused` with its reason, or `not_found`. */
export async function reserve(sql: TenantSql, claim: Claim): Promise<void> {
  const { mandateId, customerId, amount, currency, clientId } = claim;
  const rows = await sql(RESERVE, [mandateId, customerId, amount, currency, clientId]);
  if (rows.length === 0)
    throw await refusalOf(
      sql,
      claim,
      (mandate) => mandate.usage === "single" && mandate.reservations > 0,
    );
}

/** The part of what orders still owe that this freed amount pays. */
const paidFrom = (freed: string) => `least(owed_amount, greatest(0, ${freed}))`;

const PAID_BY_MOVE = paidFrom("$4::numeric - $5::numeric");
const MOVE = `
  UPDATE mandates SET reserved_amount = reserved_amount - $4::numeric + $5::numeric,
    spent_amount = spent_amount + ${PAID_BY_MOVE},
    owed_amount = owed_amount - ${PAID_BY_MOVE}
  WHERE shop = $1 AND mandate_id = $2 AND customer_id = $3 AND ${IS_OPEN} AND ${isFor("$7::text")} AND currency = $6
    AND ($5::numeric <= $4::numeric
      OR spent_amount + owed_amount + reserved_amount - $4::numeric + $5::numeric <= max_amount)
  RETURNING mandate_id`;

/** Replaces the amount that the same checkout reserves. */
export async function moveReservation(sql: TenantSql, claim: Claim, held: string): Promise<void> {
  const { mandateId, customerId, amount, currency, clientId } = claim;
  const rows = await sql(MOVE, [mandateId, customerId, held, amount, currency, clientId]);
  if (rows.length === 0) throw await refusalOf(sql, claim, () => false);
}

// A revoked mandate stays revoked, but the payment counts. An order that no reservation covers may find
// less than it needs: what other checkouts hold is theirs, and a single mandate that one of them holds
// stays open for it. The rest is owed until one of them lets go.
const FREE = "greatest(0, least($3::numeric, max_amount - reserved_amount - spent_amount))";
const SPEND = `
  UPDATE mandates SET spent_amount = spent_amount + ${FREE},
    owed_amount = least(max_amount, owed_amount + $3::numeric - ${FREE}),
    status = CASE WHEN status = 'active' AND ((usage = 'single' AND reservations = 0)
      OR spent_amount + ${FREE} >= max_amount) THEN 'used' ELSE status END
  WHERE shop = $1 AND mandate_id = $2`;

/** Counts an order, after its checkout released what it held. */
export async function spend(sql: TenantSql, mandateId: string, amount: string): Promise<void> {
  await sql(SPEND, [mandateId, amount]);
}

/**
 * The assignments of an UPDATE of mandates that releases `amount` for `checkouts`. What orders still owe is paid
 * from it first. A single-use mandate with a counted order becomes used once no checkout holds it any more.
 */
export function releaseOf(amount: string, checkouts: string): string {
  const paid = paidFrom(`least(reserved_amount, ${amount})`);
  return `
  reserved_amount = greatest(0, reserved_amount - ${amount}),
  reservations = greatest(0, reservations - ${checkouts}),
  spent_amount = spent_amount + ${paid},
  owed_amount = owed_amount - ${paid},
  status = CASE WHEN status = 'active' AND (spent_amount + ${paid} >= max_amount
    OR usage = 'single' AND spent_amount + owed_amount > 0 AND reservations <= ${checkouts}) THEN 'used'
    ELSE status END`;
}

export async function release(sql: TenantSql, mandateId: string, amount: string): Promise<void> {
  await sql(
    `UPDATE mandates SET ${releaseOf("$3::numeric", "1")} WHERE shop = $1 AND mandate_id = $2`,
    [mandateId, amount],
  );
}

/** Returns the mandate when it is open; throws like `reserve`. */
export async function requireOpenMandate(
  sql: TenantSql,
  mandateId: string,
  { customerId, clientId }: Spender,
): Promise<MandateRow> {
  const mandate = await findMandateRow(sql, mandateId);
  if (!mandate || mandate.customer_id !== customerId) throw unknownMandate();
  if (!isForAgent(mandate, clientId)) throw refusal("wrong_agent");
  if (mandate.status !== "active") throw refusal(mandate.status);
  return mandate;
}

/** `clientId` null: a caller with the shopper's session. */
export const isForAgent = (
  { agent_clients: clients }: Pick<MandateRow, "agent_clients">,
  clientId: string | null,
): boolean => clients === null || (clientId !== null && clients.includes(clientId));

export async function findMandateRow(
  sql: TenantSql,
  mandateId: string,
): Promise<MandateRow | null> {
  if (!z.uuid().safeParse(mandateId).success) return null;
  const [row] = await sql<MandateRow>(
    `SELECT ${MANDATE_COLUMNS} FROM mandates WHERE shop = $1 AND mandate_id = $2`,
    [mandateId],
  );
  return row ?? null;
}

async function refusalOf(
  sql: TenantSql,
  { mandateId, customerId, clientId, currency }: Claim,
  isHeld: (mandate: MandateRow) => boolean,
): Promise<AppError> {
  const mandate = await findMandateRow(sql, mandateId);
  if (!mandate || mandate.customer_id !== customerId) return unknownMandate();
  if (!isForAgent(mandate, clientId)) return refusal("wrong_agent");
  if (mandate.status !== "active") return refusal(mandate.status);
  if (mandate.currency !== currency) return refusal("currency_mismatch");
  return refusal(isHeld(mandate) ? "used" : "exceeded");
}
