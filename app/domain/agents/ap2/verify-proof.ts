// Checks what somebody presents as an AP2 mandate of this store: first what the signature proves
// (authenticate-mandate.ts), then what only the ledger knows. Nothing that is unsigned is believed,
// and a mandate of another store is not looked up.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { CheckoutSession, Columns, TenantSql } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import type { CheckoutStatus } from "../../commerce/checkout/checkout.ts";
import { findMandateRow } from "../../commerce/mandate-ledger.ts";
import type { MandateRow } from "../../commerce/mandate.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { fromMinorUnits, toMinorUnits } from "../minor-units.ts";
import { authenticate, type Presented } from "./authenticate-mandate.ts";
import { storedMandates } from "./export-proof.ts";
import { CLOSED_CHECKOUT, CLOSED_PAYMENT, OPEN_CHECKOUT, OPEN_PAYMENT } from "./mandate-content.ts";
import {
  checklist,
  CHECKS,
  AUTHENTICITY_CHECKS,
  type Check,
  type Checklist,
  type CheckName,
  type Reason,
} from "./proof-checks.ts";
import { sha256 } from "./sd-jwt.ts";

const MAX_TOKENS = 22;
/** Between the clocks of two systems, as AP2's own verifier allows. */
const SKEW_SECONDS = 300;

const Document = z.looseObject({
  open: z.looseObject({ checkout_mandate: z.string(), payment_mandate: z.string() }),
  checkouts: z
    .array(z.looseObject({ checkout_mandate: z.string(), payment_mandate: z.string() }))
    .max((MAX_TOKENS - 2) / 2)
    .default([]),
});

export const VerifyInput = z.object({
  proof: z
    .union([z.string().min(1).max(1_000_000), Document])
    .describe("What `GET /commerce/mandates/:id/proof` returned, or one mandate of it."),
});

export type CheckedMandate = {
  type: string | null;
  /** The store made it, for these amounts. */
  is_authentic: boolean;
  /** It may be spent now. */
  is_usable: boolean;
  checks: Check[];
  content: {
    mandate_id: string;
    merchant: string;
    amount: string | null;
    currency: string | null;
    expires_at: string;
    audience: string | null;
    nonce: string | null;
  } | null;
};

/** Throws `invalid_request` for what is neither a mandate nor a document of some. */
export async function verifyProof(
  ctx: Ctx,
  tenant: Tenant,
  { proof }: z.output<typeof VerifyInput>,
) {
  const mandates: CheckedMandate[] = [];
  for (const token of tokensOf(proof)) mandates.push(await checkMandate(ctx, tenant, token));
  return {
    is_authentic: mandates.every((mandate) => mandate.is_authentic),
    is_usable: mandates.every((mandate) => mandate.is_usable),
    mandates,
  };
}

function tokensOf(proof: string | z.output<typeof Document>): string[] {
  const document = typeof proof === "string" ? documentIn(proof.trim()) : proof;
  if (typeof document === "string") return [document];
  const { open, checkouts } = document;
  return [open, ...checkouts].flatMap((pair) => [pair.checkout_mandate, pair.payment_mandate]);
}

function documentIn(text: string): string | z.output<typeof Document> {
  if (!text.startsWith("{")) return text;
  const read = Document.safeParse(parsed(text));
  if (read.success) return read.data;
  throw new AppError("invalid_request", {
    message: "This is not a mandate proof.",
    fields: { proof: "must be a mandate, or what the proof's address returned" },
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function checkMandate(ctx: Ctx, tenant: Tenant, text: string): Promise<CheckedMandate> {
  const list = checklist();
  const presented = await authenticate(ctx, text, list);
  if (presented) await checkContent(ctx, tenant, presented, list);
  const checks = list.all();
  const isFailed = (names: readonly CheckName[]) =>
    checks.some(({ check, outcome }) => names.includes(check) && outcome === "failed");
  return {
    type: presented ? (presented.closed ?? presented.open).vct : null,
    is_authentic: presented !== null && !isFailed(AUTHENTICITY_CHECKS),
    is_usable: presented !== null && !isFailed(CHECKS),
    checks,
    content: presented && contentOf(presented),
  };
}

const amountOf = ({ closed, terms }: Presented) => closed?.amount ?? terms?.amount ?? null;

function contentOf(presented: Presented): CheckedMandate["content"] {
  const { open, closed } = presented;
  const shown = amountOf(presented) ?? open.limit;
  const expiry = Math.min(open.exp, closed?.exp ?? open.exp);
  return {
    mandate_id: open.mandateId,
    merchant: open.merchant,
    amount: shown && fromMinorUnits(shown.amount, shown.currency),
    currency: shown?.currency ?? null,
    expires_at: new Date(expiry * 1_000).toISOString(),
    audience: closed?.aud ?? null,
    nonce: closed?.nonce ?? null,
  };
}

async function checkContent(
  ctx: Ctx,
  tenant: Tenant,
  presented: Presented,
  list: Checklist,
): Promise<void> {
  const { open, closed, terms } = presented;
  list.settle("expiry", expiryProblem(presented, ctx.clock.now()));
  const merchants = [open.merchant, closed?.payee ?? null, terms?.merchant ?? null];
  const isOwn =
    open.issuer === ctx.baseUrl && merchants.every((id) => id === null || id === tenant.shop);
  list.settle("store", isOwn ? null : "other_store");
  if (!isOwn) return;
  const { sql } = dataOf(ctx, tenant);
  const mandate = await findMandateRow(sql, open.mandateId);
  const checkout = mandate && closed ? await findCheckout(sql, mandate, closed.checkoutHash) : null;
  list.settle("binding", await bindingProblem(sql, presented, checkout));
  list.settle("amounts", amountProblem(presented, mandate, checkout));
  list.settle("state", stateProblem(tenant, mandate, checkout));
}

function expiryProblem({ open, closed }: Presented, now: Date): Reason | null {
  const seconds = now.getTime() / 1_000;
  const lives = closed ? [open, closed] : [open];
  if (lives.some(({ exp }) => exp <= seconds)) return "expired";
  return lives.some(({ iat }) => iat > seconds + SKEW_SECONDS) ? "not_yet_valid" : null;
}

type KnownCheckout = Columns<CheckoutSession, "total" | "currency"> & { status: CheckoutStatus };

// Finds the checkout by the hash of its signed terms, so that one whose terms were changed since is not
// found. The index is that of the customer's checkouts.
const CHECKOUT = `
  SELECT total, currency, CASE WHEN status NOT IN ('completed', 'canceled')
    AND expires_at <= clock_timestamp() THEN 'canceled' ELSE status END AS status
  FROM checkout_sessions WHERE shop = $1 AND customer_id = $2 AND mandate_id = $3::uuid
    AND ap2_checkout IS NOT NULL AND sha256(convert_to(ap2_checkout, 'UTF8')) = decode($4, 'hex')`;

async function findCheckout(
  sql: TenantSql,
  { customer_id: customerId, mandate_id: mandateId }: MandateRow,
  transactionId: string,
): Promise<KnownCheckout | null> {
  const digest = Buffer.from(transactionId, "base64url").toString("hex");
  const [row] = await sql<KnownCheckout>(CHECKOUT, [customerId, mandateId, digest]);
  return row ?? null;
}

const PAIRS = { [OPEN_CHECKOUT]: CLOSED_CHECKOUT, [OPEN_PAYMENT]: CLOSED_PAYMENT };

/** A closed mandate is bound to its open one and to a checkout, a payment to its checkout mandate. */
async function bindingProblem(
  sql: TenantSql,
  { token, open, closed }: Presented,
  checkout: KnownCheckout | null,
): Promise<Reason | null> {
  if (open.reference !== null) {
    const stored = await storedMandates(sql, open.mandateId);
    if (stored === null || open.reference !== sha256(stored.checkout)) return "not_bound";
  }
  if (!closed) return null;
  const isPair = PAIRS[open.vct] === closed.vct;
  const { checkoutJwt: jwt, checkoutHash } = closed;
  const isBound =
    closed.openHash === sha256(token.text) && (jwt === null || sha256(jwt) === checkoutHash);
  return isPair && isBound && checkout !== null ? null : "not_bound";
}

function amountProblem(
  presented: Presented,
  mandate: MandateRow | null,
  checkout: KnownCheckout | null,
): Reason | null {
  const { limit } = presented.open;
  if (mandate && limit) {
    if (limit.currency !== mandate.currency) return "currency_mismatch";
    if (limit.amount !== toMinorUnits(mandate.max_amount, mandate.currency)) return "differs";
  }
  const paid = amountOf(presented);
  if (!paid) return null;
  if (limit && paid.currency !== limit.currency) return "currency_mismatch";
  if (limit && paid.amount > limit.amount) return "exceeded";
  if (!checkout) return null;
  if (checkout.currency !== paid.currency) return "currency_mismatch";
  return toMinorUnits(checkout.total, checkout.currency) === paid.amount ? null : "differs";
}

/** Whether the ledger still lets it be spent. */
function stateProblem(
  tenant: Tenant,
  mandate: MandateRow | null,
  checkout: KnownCheckout | null,
): Reason | null {
  if (!mandate) return "unknown_mandate";
  if (checkout?.status === "completed") return "used";
  if (mandate.status !== "active") return mandate.status;
  if (checkout && checkout.status !== "complete_in_progress") return "canceled";
  return tenant.config.agent_payments_enabled ? null : "payments_disabled";
}
