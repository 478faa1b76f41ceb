// A payment mandate: what a shopper lets agents spend, and on what (SPEC "Payment mandate",
// DECISIONS 11).
//   active -> used (single use, or all spent) | revoked | expired
import type { Columns, Mandate as StoredMandate, NullableColumns } from "../../db.server.ts";
import { z } from "zod";
import { AppError } from "../../runtime/errors.ts";

const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));
const SCOPE =
  /^(?:all|collection:[\p{L}\p{N}_-]{1,255}|product:gid:\/\/shopify\/Product\/\d{1,20})$/u;
/** For clients whose engines have no Unicode classes. */
const PUBLISHED_SCOPE =
  "^(all|collection:[^\\s/:]{1,255}|product:gid://shopify/Product/[0-9]{1,20})$";

export const MandateInput = z.object({
  max_amount: z
    .string()
    .regex(/^\d{1,12}(\.\d{1,2})?$/, "must be a decimal text such as 100.00")
    .refine((amount) => Number(amount) > 0, "must be more than nothing")
    .describe("The most to spend, as a decimal text: 40.00, where minor units would say 4000."),
  currency: z
    .string()
    .refine((code) => CURRENCIES.has(code), "must be an ISO 4217 code such as EUR")
    .describe("That of the store's prices, by ISO 4217: nothing else can be bought with it."),
  scope: z.string().regex(SCOPE, "must be all, collection:<handle> or product:<product gid>").meta({
    description: "What may be bought: all, collection:<handle> or product:<product gid>.",
    pattern: PUBLISHED_SCOPE,
  }),
  expires_in_hours: z
    .number()
    .positive()
    .max(8_760)
    .describe("The time in which it can be used, at most a year.")
    .default(24),
  usage: z
    .enum(["single", "multi"])
    .describe("single: one order. multi: several, together up to the amount.")
    .default("single"),
  agent_clients: z
    .array(z.string().min(1).max(2_000))
    .min(1, "must name an agent, or be null for any")
    .max(20)
    .nullable()
    .describe(
      "The client ids of the agents that may spend it. Null: any agent; of a mandate that an agent makes, that agent.",
    )
    .default(null),
});
export type MandateInput = z.output<typeof MandateInput>;

export const MANDATE_STATUSES = ["active", "used", "revoked", "expired"] as const;
export type MandateStatus = (typeof MANDATE_STATUSES)[number];
export type RefusalReason =
  "expired" | "exceeded" | "wrong_scope" | "revoked" | "used" | "currency_mismatch" | "wrong_agent";

export type MandateRow = Columns<
  StoredMandate,
  | "mandate_id"
  | "customer_id"
  | "type"
  | "max_amount"
  | "spent_amount"
  | "reserved_amount"
  | "reservations"
  | "currency"
  | "scope"
  | "usage"
  | "created_at"
  | "expires_at"
  | "signature"
  | "proof"
> &
  NullableColumns<StoredMandate, "agent_clients"> & {
    usage: "single" | "multi";
    status: MandateStatus;
  };

/**
 * After its expiry a mandate reads as expired, even when its row says active; only the database's clock
 * decides.
 */
export const MANDATE_STATUS =
  "CASE WHEN status = 'active' AND expires_at <= clock_timestamp() THEN 'expired' ELSE status END";

export const MANDATE_COLUMNS = `mandate_id, customer_id, type, max_amount, spent_amount,
  reserved_amount, reservations, currency, scope, usage, ${MANDATE_STATUS} AS status, created_at, expires_at, signature, proof, agent_clients`;

/** SPEC's object, with the additions of DECISIONS. */
export const toMandate = (row: MandateRow) => ({
  mandate_id: row.mandate_id,
  customer_id: row.customer_id,
  type: row.type,
  max_amount: row.max_amount,
  currency: row.currency,
  scope: row.scope,
  status: row.status,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  signature: row.signature,
  spent_amount: row.spent_amount,
  usage: row.usage,
  agent_clients: row.agent_clients,
  proof: row.proof,
});

export type Mandate = ReturnType<typeof toMandate>;

/** A checkout keeps the mandate that it was created with. */
const GO_ON = "Start a checkout under another mandate, or without one for the shopper to pay.";

const REFUSALS: Record<RefusalReason, string> = {
  expired: `The mandate is past its time. ${GO_ON}`,
  exceeded: "The mandate does not cover this amount.",
  wrong_scope: "The mandate does not cover all of these items.",
  revoked: `The mandate was revoked. ${GO_ON}`,
  used: `The mandate is used, or another checkout holds it. ${GO_ON}`,
  currency_mismatch: "The mandate is in another currency than the checkout.",
  wrong_agent: "The mandate is for other agents than this one.",
};

export const unknownMandate = (): AppError =>
  new AppError("not_found", { message: "There is no such mandate." });

export const refusal = (reason: RefusalReason): AppError =>
  new AppError("mandate_refused", { message: REFUSALS[reason], details: { reason } });
