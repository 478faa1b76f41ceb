// A checkout as stored and returned (DECISIONS 11).
//   requires_escalation <-> ready_for_complete -> complete_in_progress -> completed (the storefront's order),
//   or -> canceled from each of them but `completed`. docs/decisions/020-checkout.md explains each.
import { z } from "zod";
import type { CheckoutSession, Columns, TenantSql } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import type { CallMoney } from "../../agent-activity/agent-call.ts";
import type { Person } from "../../identity/account.ts";
import { escalationMessage, type Escalation } from "./checkout-messages.ts";
import type { Keep } from "../idempotency.ts";
import type { Money } from "../money.ts";

/**
 * The caller. `keep` stores the response inside the transaction of its effect: see idempotency.ts.
 * `noteMoney`: what the checkout costs, for the record of an agent's call.
 */
export type CheckoutCaller = {
  person: Person;
  userAgent: string | null;
  keep?: Keep;
  noteMoney?: (money: CallMoney) => void;
};

export const CHECKOUT_STATUSES = [
  "incomplete",
  "requires_escalation",
  "ready_for_complete",
  "complete_in_progress",
  "completed",
  "canceled",
] as const;
export type CheckoutStatus = (typeof CHECKOUT_STATUSES)[number];
export type CheckoutLine = {
  variant_id: string;
  title: string;
  quantity: number;
  price: Money;
  total: Money;
};

export type DiscountRejection =
  | "discount_code_invalid"
  | "discount_code_expired"
  | "discount_code_user_not_logged_in"
  | "discount_code_user_ineligible"
  | "discounts_not_supported";

/** What the storefront made of the codes, and its own automatic discounts (`code` null). */
export type Discounts = {
  codes: string[];
  applied: { code: string | null; title: string; amount: string }[];
  rejected: { code: string; reason: DiscountRejection }[];
};

/**
 * Why no delivery is chosen. `address_lost`: the cart that had it could not be read. `no_options`: the
 * storefront names none for this address, or only at payment.
 */
export type DeliveryProblem =
  | "address_missing"
  | "address_lost"
  | "no_options"
  | "option_missing"
  | "option_unavailable"
  | "in_parcels"
  | "not_supported";

/** Everything but the address itself, which only the storefront's cart has. */
export type Delivery = {
  /** The items that have to be shipped. */
  variant_ids: string[];
  /** Null: no address. */
  destination_id: string | null;
  options: { id: string; title: string; description: string | null; amount: string }[];
  /** The chosen one; its price is in the total. */
  option_id: string | null;
  problem: DeliveryProblem | null;
};

/** A cart that an update replaced: a shopper who still has its address can pay it. */
type ReplacedCart = {
  /** A cart's token, or a draft order's gid. */
  id: string;
  total: string;
};

/** An order that counted. `is_own`: it paid one of the checkout's carts. */
export type CountedOrder = { id: string | null; amount: string; is_own: boolean };

export type CheckoutRow = Columns<
  CheckoutSession,
  | "id"
  | "customer_id"
  | "source"
  | "checkout_url"
  | "external_id"
  | "line_items"
  | "subtotal"
  | "total"
  | "currency"
  | "mandate_id"
  | "client_id"
  | "order_id"
  | "reserved_amount"
  | "expires_at"
> & {
  status: CheckoutStatus;
  stored_status: CheckoutStatus;
  source: "cart" | "draft_order";
  line_items: CheckoutLine[];
  discounts: Discounts | null;
  delivery: Delivery | null;
  escalation: Escalation | null;
  orders: CountedOrder[] | null;
  replaced_carts: ReplacedCart[] | null;
};

// After its expiry a checkout reads as canceled, even when its row says otherwise; only the database's clock decides.
export const CHECKOUT_COLUMNS = `id, customer_id, CASE WHEN status NOT IN ('completed', 'canceled')
  AND expires_at <= clock_timestamp() THEN 'canceled' ELSE status END AS status, status AS stored_status,
  source, checkout_url, external_id, line_items, subtotal, total, currency, mandate_id, client_id,
    order_id, reserved_amount, discounts, delivery, escalation, orders, replaced_carts, expires_at`;

export const toCheckout = (row: CheckoutRow) => ({
  id: row.id,
  status: row.status,
  checkout_url: row.checkout_url,
  line_items: row.line_items,
  totals: { subtotal: row.subtotal, total: row.total },
  currency: row.currency,
  source: row.source,
  mandate_id: row.mandate_id,
  client_id: row.client_id,
  expires_at: row.expires_at.toISOString(),
  ...(row.order_id !== null && { order_id: row.order_id }),
  ...(row.discounts !== null && { discounts: row.discounts }),
  ...(row.delivery !== null && { delivery: row.delivery }),
  ...(row.status === "requires_escalation" && { messages: [escalationMessage(row.escalation)] }),
});
export type Checkout = ReturnType<typeof toCheckout>;

/** Whether it currently reserves a part of its mandate. */
export const holdsMandate = (row: CheckoutRow): row is CheckoutRow & { mandate_id: string } =>
  row.mandate_id !== null && row.stored_status !== "completed" && row.stored_status !== "canceled";

/**
 * Throws `not_found` for another person's checkout, and to an agent for another agent's. An agent reads
 * the shopper's own checkouts, and cannot change them (`use`). `person` null: a caller with the admin
 * key, or the storefront. `lock` locks the row until the commit.
 */
export async function getCheckoutRow(
  sql: TenantSql,
  id: string,
  person: Person | null,
  { use = "show", lock = false }: { use?: "show" | "change"; lock?: boolean } = {},
): Promise<CheckoutRow> {
  const [row] = z.uuid().safeParse(id).success
    ? await sql<CheckoutRow>(
        `SELECT ${CHECKOUT_COLUMNS} FROM checkout_sessions WHERE shop = $1 AND id = $2 ${lock ? "FOR UPDATE" : ""}`,
        [id],
      )
    : [];
  if (!row || (person && !isOpenTo(row, person, use)))
    throw new AppError("not_found", { message: "There is no such checkout." });
  return row;
}

function isOpenTo(
  row: CheckoutRow,
  { account, clientId }: Person,
  use: "show" | "change",
): boolean {
  if (row.customer_id !== account.id) return false;
  const isOfSession = clientId === undefined;
  return isOfSession || row.client_id === clientId || (row.client_id === null && use === "show");
}
