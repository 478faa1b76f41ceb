// A checkout as stored and returned (DECISIONS 11).
//   requires_escalation <-> ready_for_complete -> complete_in_progress -> completed (the storefront's order),
//   or -> canceled from each of them but `completed`. docs/decisions/020-checkout.md explains each.
import type { CheckoutSession, Columns, TenantSql } from "../../../db.server.ts";
import { z } from "zod";
import { AppError } from "../../../runtime/errors.ts";
import type { CallMoney } from "../../agent-activity/agent-call.ts";
import type { Person } from "../../identity/account.ts";
import { COUNTRY_CODES } from "../cart/country-codes.ts";
import { escalationMessage, type Escalation } from "./checkout-messages.ts";
import type { Keep } from "../idempotency.ts";
import type { Money } from "../money.ts";

const MAX_LINES = 100;
const MAX_QUANTITY = 1_000;
const VARIANT = /^(?:gid:\/\/shopify\/ProductVariant\/)?(\d{1,20})$/;

const LineItem = z.object({
  variant_id: z
    .string()
    .regex(VARIANT, "must be the gid of a variant, or its number")
    .transform((id) => `gid://shopify/ProductVariant/${VARIANT.exec(id)?.[1]}`),
  quantity: z
    .number()
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(MAX_QUANTITY, `must be at most ${MAX_QUANTITY}`),
});

const MAX_CODES = 10;

/** Discount codes, each once; case is ignored, as in the storefront. */
export const DiscountCodes = z
  .array(
    z
      .string()
      .trim()
      .regex(/^[^\p{C}]{1,100}$/u, "must be 1 to 100 printable characters"),
  )
  .max(MAX_CODES, `must name at most ${MAX_CODES} codes`)
  .transform((codes) => {
    const known = codes.map((code) => code.toLowerCase());
    return codes.filter((_, index) => known.indexOf(known[index] as string) === index);
  });

const addressText = (max: number) =>
  z
    .string()
    .trim()
    .max(max, `must be at most ${max} characters`)
    .regex(/^[^\p{C}]{0,255}$/u, "must be one line of printable characters")
    .transform((text) => text || undefined)
    .optional();

/** A postal address in UCP's words. It is never stored here: see cart/cart-delivery.ts. */
export const DeliveryAddress = z.object({
  address_country: z
    .string()
    .trim()
    .toUpperCase()
    .refine((code) => COUNTRY_CODES.has(code), "must be a country's code of two letters")
    .meta({ examples: ["DE"] }),
  postal_code: addressText(20),
  address_region: addressText(100).describe("The region's code, such as CA."),
  address_locality: addressText(100),
  street_address: addressText(255),
  extended_address: addressText(255),
  first_name: addressText(100),
  last_name: addressText(100),
  phone_number: addressText(40),
});
export type DeliveryAddress = z.output<typeof DeliveryAddress>;

export const DestinationId = z
  .string()
  .trim()
  .regex(
    /^[\w.:/?&=~%-]{1,200}$/,
    "must be 1 to 200 letters, digits and . : / ? & = ~ % _ -, like a gid",
  );

/** Without an address the one of the cart before is kept. */
export const DeliveryInput = z.object({
  address: DeliveryAddress.optional(),
  destination_id: DestinationId.optional().describe("The caller's own name of the address."),
  option_id: z.string().max(300).nullish().describe("One of the options of the response."),
});
export type DeliveryInput = z.output<typeof DeliveryInput>;

export const CheckoutChange = z.object({
  line_items: z
    .array(LineItem)
    .min(1, "must name at least one item")
    .max(MAX_LINES, `must name at most ${MAX_LINES} items`),
  discount_codes: DiscountCodes.optional().describe(
    "In place of those of the checkout; without it they stay.",
  ),
  delivery: DeliveryInput.nullish().describe(
    "In place of that of the checkout, null for none; without it address and option stay.",
  ),
});
export type CheckoutChange = z.output<typeof CheckoutChange>;

/** Without a mandate and with null are one request, also for its idempotency key. */
export const CheckoutInput = CheckoutChange.extend({
  mandate_id: z
    .string()
    .max(100)
    .nullish()
    .transform((id) => id ?? undefined),
});
export type CheckoutInput = z.output<typeof CheckoutInput>;

export type LineItemInput = { variantId: string; quantity: number };

/** One line per variant: the storefront would join them too. */
export function toLineItems({ line_items: items }: CheckoutChange): LineItemInput[] {
  const byVariant = new Map<string, LineItemInput>();
  for (const { variant_id: variantId, quantity } of items)
    byVariant.set(variantId, {
      variantId,
      quantity: (byVariant.get(variantId)?.quantity ?? 0) + quantity,
    });
  return [...byVariant.values()];
}

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

export type CheckoutStatus =
  | "incomplete"
  | "requires_escalation"
  | "ready_for_complete"
  | "complete_in_progress"
  | "completed"
  | "canceled";
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
  if (!row || (person && !isOpenTo(row, person, use))) throw new AppError("not_found");
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
