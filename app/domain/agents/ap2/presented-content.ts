// What a mandate of ours may contain, once its disclosures are in their places. A constraint of a kind that
// is not here fails, as AP2 demands of one that a verifier does not know.
import { z } from "zod";
import { CLOSED_CHECKOUT, CLOSED_PAYMENT, OPEN_CHECKOUT, OPEN_PAYMENT } from "./mandate-content.ts";

const Digest = z.string().regex(/^[\w-]{43}$/);
const Seconds = z.int().nonnegative();
const Merchant = z.object({ id: z.string(), name: z.string() });
const Amount = z.object({ amount: z.int(), currency: z.string().length(3) });
const Life = { iat: Seconds, exp: Seconds };
const OneMerchant = z.tuple([Merchant]);
const Holder = z.object({
  jwk: z.object({
    kty: z.literal("EC"),
    crv: z.literal("P-256"),
    x: z.string().length(43),
    y: z.string().length(43),
  }),
});

const Constraint = z.discriminatedUnion("type", [
  z.object({ type: z.literal("checkout.allowed_merchants"), allowed: OneMerchant }),
  z.object({ type: z.literal("checkout.line_items") }),
  z.object({ type: z.literal("payment.allowed_payees"), allowed: OneMerchant }),
  z.object({
    type: z.literal("payment.amount_range"),
    currency: z.string().length(3),
    max: z.int(),
  }),
  z.object({ type: z.literal("payment.agent_recurrence") }),
  z.object({ type: z.literal("payment.budget") }),
  z.object({ type: z.literal("payment.reference"), conditional_transaction_id: Digest }),
]);

const OpenMandate = z.object({
  vct: z.enum([OPEN_CHECKOUT, OPEN_PAYMENT]),
  constraints: z.array(Constraint).min(1).max(10),
  cnf: Holder,
  ...Life,
});

/** An open mandate, by what a check asks of it. */
export const OpenContent = z
  .object({ iss: z.string(), jti: z.uuid(), delegate_payload: z.tuple([OpenMandate]) })
  .transform(({ iss, jti, delegate_payload: [{ vct, constraints, cnf, iat, exp }] }) => {
    const limit = constraints.find((one) => one.type === "payment.amount_range");
    const reference = constraints.find((one) => one.type === "payment.reference");
    const merchants = constraints.find((one) => "allowed" in one);
    return {
      vct,
      iat,
      exp,
      holder: cnf.jwk,
      issuer: iss,
      mandateId: jti,
      merchant: merchants?.allowed[0].id ?? "",
      limit: limit ? { amount: limit.max, currency: limit.currency } : null,
      reference: reference?.conditional_transaction_id ?? null,
    };
  });
export type OpenContent = z.output<typeof OpenContent>;

const ClosedMandate = z.discriminatedUnion("vct", [
  z.object({
    vct: z.literal(CLOSED_CHECKOUT),
    checkout_hash: Digest,
    checkout_jwt: z.string(),
    ...Life,
  }),
  z.object({
    vct: z.literal(CLOSED_PAYMENT),
    transaction_id: Digest,
    payee: Merchant,
    payment_amount: Amount,
    ...Life,
  }),
]);

/** A closed mandate; a checkout's amount is in its signed terms, `checkoutJwt`. */
export const ClosedContent = z
  .object({
    aud: z.string(),
    nonce: z.string(),
    sd_hash: Digest,
    delegate_payload: z.tuple([ClosedMandate]),
  })
  .transform(({ aud, nonce, sd_hash: openHash, delegate_payload: [content] }) => {
    const { vct, iat, exp } = content;
    const isPayment = content.vct === CLOSED_PAYMENT;
    return {
      vct,
      iat,
      exp,
      aud,
      nonce,
      openHash,
      checkoutHash: isPayment ? content.transaction_id : content.checkout_hash,
      checkoutJwt: isPayment ? null : content.checkout_jwt,
      payee: isPayment ? content.payee.id : null,
      amount: isPayment ? content.payment_amount : null,
    };
  });
export type ClosedContent = z.output<typeof ClosedContent>;

/** The checkout that the store signed. */
export const SignedTerms = z
  .object({
    currency: z.string().length(3),
    totals: z.array(z.object({ type: z.string(), amount: z.int() })),
    merchant: Merchant,
  })
  .transform(({ currency, totals, merchant }) => ({
    merchant: merchant.id,
    amount: { amount: totals.find(({ type }) => type === "total")?.amount ?? -1, currency },
  }));
export type SignedTerms = z.output<typeof SignedTerms>;
